from = desde { $node }
would-come = llegaría
would-stay-pending = { $count ->
    [one] { $count } seguiría Pending
   *[other] { $count } seguirían Pending
}
