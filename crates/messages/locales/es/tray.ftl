name = Pods pendientes
name-other-run = Pods pendientes, otra ejecución
hidden = lo que espera está oculto hasta que respondas
pending = { $count ->
    [one] { $count } pendiente:
   *[other] { $count } pendientes:
}
pending-heading = Pendientes { $count ->
   *[other] { $count }
}
what-would-help = ¿Qué ayudaría?

pods-of-cause = { $count ->
    [one] { $count } Pod: { $cause }
   *[other] { $count } Pods: { $cause }
}
found-pods-of-cause = { $count ->
    [one] { $found } de { $count } Pod: { $cause }
   *[other] { $found } de { $count } Pods: { $cause }
}
most-frequent-cause = { $count } de { $all }: { $cause }
more-pods = { $count ->
    [one] y { $count } Pod más por otras causas
   *[other] y { $count } Pods más por otras causas
}
show-fewer = Mostrar menos
show-fewer-causes = Mostrar menos causas
