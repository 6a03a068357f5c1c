from = з { $node }
would-come = прийшов би
would-stay-pending = { $count ->
    [one] { $count } лишився б Pending
    [few] { $count } лишилися б Pending
    [many] { $count } лишилися б Pending
   *[other] { $count } лишилися б Pending
}
