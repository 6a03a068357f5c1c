seconds = { $n ->
   *[other] { $n } с
}
minutes = { $n ->
   *[other] { $n } хв
}
hours = { $n ->
   *[other] { $n } год
}
decimal-separator = ,
