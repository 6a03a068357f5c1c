about-opening = Avisos sobre lo que se está abriendo
still-opening = { $count ->
    [one] 1 problema. El clúster todavía se está abriendo.
   *[other] { $count } problemas. El clúster todavía se está abriendo.
}
about-opened = Avisos sobre lo abierto
all-notices = { $count ->
    [one] ver el aviso
   *[other] ver los { $count }
}
read = Ya lo he leído
