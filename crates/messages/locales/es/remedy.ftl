fits = { $nodes ->
    [one] { $change }: entonces puede aceptarlo un nodo
   *[other] { $change }: entonces pueden aceptarlo { $nodes } nodos
}
ends = { $change }: haría terminar { $victims } en { $node }

uncordon = Retirar el cordón de { $node }
untaint = Quitar la contaminación { $taint } del nodo { $node }
ungate-by = { $count ->
    [one] Quitar la puerta de planificación { $gates }, como hace { $setter } cuando deja pasar el Pod
   *[other] Quitar las puertas de planificación { $gates }, como hace { $setter } cuando deja pasar el Pod
}
ungate = { $count ->
    [one] Quitar la puerta de planificación { $gates }, como hace el controlador que la puso cuando deja pasar el Pod
   *[other] Quitar las puertas de planificación { $gates }, como hace el controlador que las puso cuando deja pasar el Pod
}
honor-taints = Dejar fuera de la distribución por { $topology-key } los nodos con contaminaciones que el Pod no tolera (nodeTaintsPolicy: Honor)
tolerate = Hacer que el Pod tolere la contaminación { $taint }
shrink = Solicitar { $to } de { $resource } en lugar de { $from }
max-skew = Permitir un maxSkew de { $to } por { $topology-key }
min-domains = { $to ->
    [one] Conformarse con { $to } dominio de { $topology-key } (minDomains)
   *[other] Conformarse con { $to } dominios de { $topology-key } (minDomains)
}
soften = Convertir la distribución por { $topology-key } en un deseo (ScheduleAnyway) en lugar de una regla
drop = Quitar { $field }
drop-request = Quitar la solicitud de { $resource }
priority = Dar al Pod la PriorityClass { $class } ({ $value })
allow-preemption = Permitir que el Pod expropie (preemptionPolicy PreemptLowerPriority)
scheduler = Hacer que el Pod se cree de nuevo con schedulerName { $to }, ya que nadie puede cambiarlo
delete-pod = Eliminar el Pod { $pod } en { $node }
delete-pod-of = Eliminar el Pod { $pod } en { $node } (su { $kind } crea otro, que puede ocupar el sitio)
label = Poner al nodo { $node } la etiqueta { $key }={ $value }
offer = Hacer que { $node } ofrezca { $amount } { $resource }, como lo haría un plugin de dispositivos
add-pod = Ejecutar un Pod { $pod } con { $labels }, lo que pide la afinidad

coscheduling-plugin = el plugin Coscheduling
multiarch-operator = el Multiarch Tuning Operator

in-claim = el ResourceClaim { $claim }
in-request = la petición { $request } del ResourceClaim { $claim }
fewer-devices = { $from ->
    [one] Pedir { $to } en lugar de { $from } dispositivo en { $place }
   *[other] Pedir { $to } en lugar de { $from } dispositivos en { $place }
}
drop-selector = Quitar el selector { $expression } en { $place }
tolerate-device-taint = Tolerar la contaminación de dispositivo { $taint } en { $place }
drop-capacity = Quitar las peticiones de capacidad en { $place }
drop-constraint = Quitar la restricción sobre { $attribute } en { $place }
delete-claim = Eliminar el ResourceClaim { $claim }, cuyos dispositivos no usa ningún Pod

any-node = un nodo
node-like = un nodo como { $like }
node-like-without = { $count ->
    [one] un nodo como { $like }, sin su contaminación { $taints },
   *[other] un nodo como { $like }, sin sus contaminaciones { $taints },
}
add-node-with = Añadir { $node } con { $more }
add-node-in-new-domain = Añadir { $node } en un dominio de { $topology-key } que aún no existe
add-node-in-domain = Añadir { $node } con { $topology-key }={ $domain }
add-node-near-volume = Añadir { $node } con { $topology-key }={ $domain }, desde donde se llega al volumen { $volume }
add-node-with-devices = Añadir un nodo como { $like }, con los mismos dispositivos de { $drivers }
