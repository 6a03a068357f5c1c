seconds = { $n ->
   *[other] { $n } s
}
minutes = { $n ->
   *[other] { $n } min
}
hours = { $n ->
   *[other] { $n } h
}
decimal-separator = ,
