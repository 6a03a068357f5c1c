seconds = { $n ->
   *[other] { $n } s
}
minutes = { $n ->
   *[other] { $n } mnt
}
hours = { $n ->
   *[other] { $n } jam
}
decimal-separator = ,
