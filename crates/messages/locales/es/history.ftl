with-names = { $notice }: { $names }

cut = { $count ->
    [one] El último registro de un historial está incompleto y se omite
   *[other] Los últimos registros de { $count } historiales están incompletos y se omiten
}
watch-error = { $count ->
    [one] Un watch terminó con un error; lo que ocurrió después no está en el historial
   *[other] { $count } watches terminaron con un error; lo que ocurrió después no está en el historial
}
no-types = { $count ->
    [one] Un flujo de watch no tiene tipos de eventos (--output-watch-events), así que solo se conocen las eliminaciones de objetos con deletionTimestamp
   *[other] { $count } flujos de watch no tienen tipos de eventos (--output-watch-events), así que solo se conocen las eliminaciones de objetos con deletionTimestamp
}
before-start = { $count ->
    [one] 1 escritura es anterior a t = 0 y no se reproduce
   *[other] { $count } escrituras son anteriores a t = 0 y no se reproducen
}
incomplete = { $count ->
    [one] 1 escritura no se reproduce, porque su evento de auditoría no contiene el objeto (nivel Metadata)
   *[other] { $count } escrituras no se reproducen, porque sus eventos de auditoría no contienen el objeto (nivel Metadata)
}
never-seen = { $count ->
    [one] 1 escritura no se reproduce, porque su objeto no aparece antes en los ficheros; un volcado del comienzo, abierto junto con el historial, lo contiene
   *[other] { $count } escrituras no se reproducen, porque sus objetos no aparecen antes en los ficheros; un volcado del comienzo, abierto junto con el historial, los contiene
}
not-whole = { $count ->
    [one] 1 objeto del comienzo no se puede leer y se omite
   *[other] { $count } objetos del comienzo no se pueden leer y se omiten
}
seen-late = { $count ->
    [one] 1 objeto aparece por primera vez después de un cambio; en t = 0 está tal como era entonces
   *[other] { $count } objetos aparecen por primera vez después de un cambio; en t = 0 están tal como eran entonces
}
node-lost = { $count ->
    [one] 1 nodo pasó a Unknown. La causa no está en el historial: un reinicio de la máquina se reproduce como un corte de corriente, y cualquier otra pérdida como una partición, 50 s (nodeMonitorGracePeriod) antes de que el nodo pasara a Unknown
   *[other] { $count } nodos pasaron a Unknown. La causa no está en el historial: un reinicio de la máquina se reproduce como un corte de corriente, y cualquier otra pérdida como una partición, 50 s (nodeMonitorGracePeriod) antes de que cada nodo pasara a Unknown
}
node-unready = { $count ->
    [one] 1 nodo comunicó que no estaba listo; la causa no está en el historial, y esto no se reproduce
   *[other] { $count } nodos comunicaron que no estaban listos; la causa no está en el historial, y esto no se reproduce
}
node-gone = { $count ->
    [one] Se eliminó 1 Node; se supone que su máquina se retiró
   *[other] Se eliminaron { $count } Nodes; se supone que sus máquinas se retiraron
}
named-by-simulation = { $count ->
    [one] 1 escritura no se reproduce, porque es sobre un objeto al que la simulación da otro nombre
   *[other] { $count } escrituras no se reproducen, porque son sobre objetos a los que la simulación da otros nombres
}
unknown-deleter = { $count ->
    [one] 1 Pod terminó, y el historial no dice si lo eliminó su controlador; se supone que sí
   *[other] { $count } Pods terminaron, y el historial no dice si los eliminaron sus controladores; se supone que sí
}
owner-unknown = { $count ->
    [one] 1 objeto se crea como si lo creara un usuario, porque su propietario no está en los ficheros
   *[other] { $count } objetos se crean como si los creara un usuario, porque sus propietarios no están en los ficheros
}
undated = { $count ->
    [one] 1 cambio no tiene hora en el flujo de watch; recibe la del siguiente registro que la tiene
   *[other] { $count } cambios no tienen hora en el flujo de watch; cada uno recibe la del siguiente registro que la tiene
}
patch-type = { $count ->
    [one] 1 patch se toma como un strategic merge patch, tal como lo envía kubectl: los eventos de auditoría no nombran el tipo
   *[other] { $count } patches se toman como strategic merge patches, tal como los envía kubectl: los eventos de auditoría no nombran el tipo
}
restarts = { $count ->
    [one] 1 reinicio de un contenedor no se reproduce, porque su causa no está en el historial
   *[other] { $count } reinicios de contenedores no se reproducen, porque sus causas no están en el historial
}
lifetimes = { $count ->
    [one] La traza de SimKube dice cuánto tiempo se ejecutaron los Pods, y eso no se reproduce
   *[other] { $count } trazas de SimKube dicen cuánto tiempo se ejecutaron los Pods, y eso no se reproduce
}
no-nodes = { $count ->
    [one] El historial no tiene ningún Node, así que los nodos se generan
   *[other] Los historiales no tienen ningún Node, así que los nodos se generan
}
autoscaler-scales = { $count ->
    [one] 1 cambio de replicas hecho por un HorizontalPodAutoscaler se reproduce como comando, porque sus métricas no están en el historial
   *[other] { $count } cambios de replicas hechos por HorizontalPodAutoscalers se reproducen como comandos, porque sus métricas no están en el historial
}
not-simulated = { $count ->
    [one] No se reproduce 1 escritura de un tipo que no se simula
   *[other] No se reproducen { $count } escrituras de tipos que no se simulan
}
no-name = { $count ->
    [one] 1 registro no tiene un tipo o un nombre válido y se omite
   *[other] { $count } registros no tienen un tipo o un nombre válido y se omiten
}
by-simulation = { $count ->
    [one] No se reproduce 1 escritura de un componente, porque la simulación hace la suya
   *[other] No se reproducen { $count } escrituras de componentes, porque la simulación hace las suyas
}

beside-scenario = un historial se convierte él mismo en un Scenario: no se puede abrir junto con otro
too-long = { $count ->
    [one] el historial tiene { $count } comando: el límite es { $limit }; abre un extracto de un tiempo más corto
   *[other] el historial tiene { $count } comandos: el límite es { $limit }; abre un extracto de un tiempo más corto
}
