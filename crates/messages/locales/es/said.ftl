about-opening = Sobre lo que se está abriendo
still-opening = { $count ->
    [one] 1 problema. El clúster todavía se está abriendo.
   *[other] { $count } problemas. El clúster todavía se está abriendo.
}
about-opened = Sobre lo que se abrió
all-notices = { $count ->
    [one] ver { $count }
   *[other] ver los { $count }
}
read = Ya lo he leído
