from = desde { $node }
would-come = llegaría
would-stay-pending = { $count ->
    [one] { $count } seguiría en Pending
   *[other] { $count } seguirían en Pending
}
