from = 来自 { $node }
would-come = 会来
would-stay-pending = { $count ->
   *[other] { $count } 个会停在 Pending
}
