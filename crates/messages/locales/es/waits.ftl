next = siguiente en la cola
stranded = espera un planificador en ejecución
etcd = espera a etcd, que el servidor API no alcanza
api-server = espera al servidor API, que no se ejecuta
foreign = espera al planificador `{ $scheduler }`, que aquí no se ejecuta
volume = tiene un nodo: espera su volumen en PreBind
binding = tiene un nodo: se está vinculando
backoff-until = espera por retroceso, se reintenta dentro de { $time }
backoff = espera por retroceso
event = espera un evento que pueda ayudar, o el repaso de los cinco minutos
event-for = espera un evento que pueda ayudar a { $plugins }, o el repaso de los cinco minutos
unknown = nadie puede decir por qué espera
unknown-said = nadie puede decir por qué espera; el planificador real dijo: { $message }
gated = lo retienen sus puertas de planificación: { $gates }
room = espera a que haya sitio en { $node }
victims = { $count ->
    [one] espera a que { $names } desaparezca de { $node }{ $left }
   *[other] espera a que { $names } desaparezcan de { $node }{ $left }
}
victims-and-more = { $more ->
   *[other] espera a que { $names } y { $more } más desaparezcan de { $node }{ $left }
}

pod-stranded = { $pod } espera un planificador en ejecución.
pod-etcd = { $pod } espera a etcd, que el servidor API no alcanza.
pod-api-server = { $pod } espera al servidor API, que no se ejecuta.
pod-foreign = { $pod } espera al planificador `{ $scheduler }`, que aquí no se ejecuta.
pod-volume = { $pod } tiene un nodo: espera su volumen en PreBind.
pod-binding = { $pod } tiene un nodo: se está vinculando.
pod-gated = La planificación está bloqueada porque quedan puertas de planificación: { $gates }.
pod-room = { $pod } espera a que haya sitio en { $node }.
pod-victims = { $count ->
    [one] { $pod } espera a que { $names } desaparezca de { $node }{ $left }.
   *[other] { $pod } espera a que { $names } desaparezcan de { $node }{ $left }.
}
pod-victims-and-more = { $more ->
   *[other] { $pod } espera a que { $names } y { $more } más desaparezcan de { $node }{ $left }.
}

cause-none = aún sin nodo
cause-gated = retenido por una puerta de planificación
cause-room = se está haciendo sitio
cause-foreign = el planificador `{ $scheduler }` no se ejecuta aquí
cause-binding = se está vinculando
cause-no-nodes = no hay nodos
cause-stranded = ningún planificador en marcha
cause-etcd = etcd está fuera de alcance
cause-api-server = el servidor API no se ejecuta
cause-not-looked = aún sin examinar
cause-counted = { $cause } en { $nodes } de { $all }
