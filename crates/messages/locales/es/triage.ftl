title = Qué va mal
worst-first = Qué va mal, lo peor primero
show = Mostrarlo
problems = { $count ->
    [one] 1 problema
   *[other] { $count } problemas
}

looking = Mirando…
namespace = Espacio de nombres
all = todos
none = ninguno (del clúster)
rows = { $rows ->
    [one] 1 fila
   *[other] { $rows } filas
} de { $objects ->
    [one] { $objects } objeto
   *[other] { $objects } objetos
}, en { $time }
look-again = Mirar otra vez
copy = Copiar
copied = La lista está copiada como Markdown.
nothing-wrong = No va mal nada que muestren los objetos.
and-more = { $count ->
   *[other] y { $count } más; «Copiar» los incluye todos
}
