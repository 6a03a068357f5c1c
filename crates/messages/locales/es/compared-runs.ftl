pods-placed = Pods colocados
pods-pending = Pods pendientes
nodes-used = nodos usados
allocated = { $resource }: parte solicitada
deviation = { $resource }: desviación típica
jain-index = { $resource }: índice de Jain
largest-free = { $resource }: máximo libre en un nodo
by-node = { $resource }: por nodo
devices-allocated = dispositivos asignados
of = { $allocated } de { $devices }
pods-in-a-zone = Pods por zona
range = de { $fewest } a { $most }
preemptions = expropiaciones
mean-time-to-place = tiempo hasta la colocación, media
longest-time-to-place = tiempo hasta la colocación, máximo

pods-elsewhere = Pods en otro nodo
pod = { $pod }: { $nodes }
beside = { $one } | { $other }
no-node = sin nodo
and-more = { $count ->
   *[other] y { $count } más
}
other-nodes = { $count ->
    [0] Cada Pod tiene el mismo nodo en las dos ejecuciones.
    [one] 1 Pod tiene otro nodo.
   *[other] { $count } Pods tienen otro nodo.
}
