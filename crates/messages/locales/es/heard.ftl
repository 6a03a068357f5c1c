name = Lo que ocurre
is-bound-to = se vincula a
other-things = { $count ->
    [one] ha ocurrido { $count } cosa más
   *[other] han ocurrido { $count } cosas más
}
goals-reached = { $count ->
    [one] se ha alcanzado un objetivo
   *[other] se han alcanzado { $count } objetivos
}
question = la historia hace una pregunta, y el tiempo espera
step = ya se puede leer el paso { $number } de la historia
