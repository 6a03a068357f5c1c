no-node = { $count ->
   *[other] { $count } Pods: sin nodo
}
got-node = { $count ->
   *[other] { $count } Pods han recibido un nodo
}
preempted = { $count ->
   *[other] { $count } Pods expropiados
}
evicted-by-taint = { $count ->
    [one] 1 Pod desalojado: una contaminación de su nodo
   *[other] { $count } Pods desalojados: una contaminación de su nodo
}
evicted-by-pressure = { $count ->
    [one] 1 Pod desalojado por su kubelet: presión en su nodo
   *[other] { $count } Pods desalojados por su kubelet: presión en su nodo
}
ended-by-shutdown = { $count ->
    [one] 1 Pod terminado por su kubelet: el nodo se apaga
   *[other] { $count } Pods terminados por su kubelet: el nodo se apaga
}
evicted-by-api = { $count ->
    [one] 1 Pod desalojado a través de la API de desalojo
   *[other] { $count } Pods desalojados a través de la API de desalojo
}
removed-by-garbage-collector = { $count ->
    [one] 1 Pod eliminado por el recolector de Pods: su nodo ya no existe o está fuera de servicio
   *[other] { $count } Pods eliminados por el recolector de Pods: su nodo ya no existe o está fuera de servicio
}
run-again = { $count ->
   *[other] { $count } contenedores vuelven a ejecutarse
}
get-sigterm = { $count ->
   *[other] { $count } contenedores reciben SIGTERM
}
get-sigkill = { $count ->
   *[other] { $count } contenedores reciben SIGKILL
}
pre-stop-begin = { $count ->
   *[other] empiezan { $count } hooks preStop
}

ready-again = { $node } vuelve a estar Ready
condition-over = { $node }: { $condition } ha pasado
whole-again = restablecida tras { $time }: { $what }

cut-off = { $node } está aislado
lost-to-node = se pierde lo que se envía a { $node }
lost-from-node = se pierde lo que envía { $node }
lost-to-node-from = se pierde lo enviado a { $node } por { $from }
lost-from-node-to = se pierde lo que { $node } envía hacia { $from }
cut-off-from = { $node } no tiene enlace con { $from }

sigterm = { $what } recibe SIGTERM
sigkill = { $what } recibe SIGKILL
pre-stop = { $what }: empieza su hook preStop
broken = rota: { $what }
as-expected = se cumple lo esperado: { $what }
not-as-expected = no se cumple lo esperado: { $what }
refused = rechazado: { $command }
