close = Ya lo he leído: cerrar
ways-back = Cómo volver
processes-of-one-name = { $count ->
   *[other] { $count } procesos, 1 nombre
}
broken-by = rota por { $cause }
was-broken-by = estuvo rota { $duration } por { $cause }
