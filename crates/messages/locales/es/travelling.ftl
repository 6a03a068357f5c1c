messages = { $count ->
    [one] 1 mensaje
   *[other] { $count } mensajes
}
more-than-dots = más mensajes que puntos
