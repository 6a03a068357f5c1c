title = Qué va mal
worst-first = Qué va mal, lo peor primero
show = Mostrarlo
problems = { $count ->
    [one] 1 problema
   *[other] { $count } problemas
}

looking = Examinando…
namespace = Espacio de nombres
all = todos
none = ninguno (del clúster)
rows = { $rows ->
    [one] 1 fila
   *[other] { $rows } filas
} para { $objects ->
    [one] { $objects } objeto
   *[other] { $objects } objetos
}, en el minuto { $time }
look-again = Examinar otra vez
copy = Copiar
copied = Lista copiada como Markdown.
nothing-wrong = Los objetos no muestran ningún problema.
and-more = { $count ->
   *[other] y { $count } más; «Copiar» los incluye todos
}
