not-simulated = { $count } × { $kind } (no se simula)
unserved = v1.36 no ofrece { $kind } en la versión { $version }: se omite ({ $place })
converted = { $count } × { $kind } de { $version }, que v1.36 no ofrece por defecto: se convierte a resource.k8s.io/v1
unread = omitido: { $problem }
more-unread = { $count ->
    [one] Un problema más en ficheros que se omiten
   *[other] { $count } problemas más en ficheros que se omiten
}
duplicates = { $count ->
    [one] Un objeto está más de una vez en los ficheros: se lee el más reciente
   *[other] { $count } objetos están más de una vez en los ficheros: se lee el más reciente de cada uno
}
scrubbed = { $count ->
    [one] Un objeto no tiene UID: { $objects }; se toma tal como está en el volcado, no como algo que haya que crear
   *[other] { $count } objetos no tienen UID: { $objects }; se toman tal como están en el volcado, no como algo que haya que crear
}
shared-uid = { $count ->
    [one] { $count } objeto tiene un UID que también tienen otros: { $objects }; se distingue por su nombre
   *[other] { $count } objetos tienen un UID que también tienen otros: { $objects }; se distinguen por sus nombres
}
pod-problems = { $count ->
    [one] Según los ficheros, un Pod no se ejecuta bien: { $pods }; se supone que su problema persiste; un Pod que se crea de nuevo está bien, salvo que una anotación sobre su comportamiento diga otra cosa
   *[other] Según los ficheros, { $count } Pods no se ejecutan bien: { $pods }; se supone que su problema persiste; un Pod que se crea de nuevo está bien, salvo que una anotación sobre su comportamiento diga otra cosa
}
node-problems = { $count ->
    [one] Según los ficheros, un nodo no está bien: { $nodes }; se supone que sigue así hasta que la máquina se arranca de nuevo
   *[other] Según los ficheros, { $count } nodos no están bien: { $nodes }; se supone que siguen así hasta que la máquina se arranca de nuevo
}
node-problems-pressure = { $count ->
    [one] Según los ficheros, un nodo no está bien: { $nodes }; se supone que sigue así hasta que la máquina se arranca de nuevo, y no se desaloja ningún Pod que se ejecute allí por una presión que nadie mide
   *[other] Según los ficheros, { $count } nodos no están bien: { $nodes }; se supone que siguen así hasta que la máquina se arranca de nuevo, y no se desaloja ningún Pod que se ejecute allí por una presión que nadie mide
}
node-not-ready = no listo
node-not-ready-reason = no listo: { $reason }
missing-volumes = { $pod } usa una solicitud o un volumen que no está en los ficheros, y se queda en Pending; el planificador real dijo: { $message }
more-with-missing-volumes = { $count ->
    [one] { $count } Pod más se queda en Pending por solicitudes o volúmenes que no están en los ficheros
   *[other] { $count } Pods más se quedan en Pending por solicitudes o volúmenes que no están en los ficheros
}
uses-assumed = { $count ->
    [one] Un Pod pendiente usa algo que solo se supone que existe: { $pods }; si es eso lo que espera, se ejecuta aquí y no en el clúster
   *[other] { $count } Pods pendientes usan algo que solo se supone que existe: { $pods }; si es eso lo que esperan, se ejecutan aquí y no en el clúster
}
autoscalers-without-metrics = { $count ->
    [one] Un HorizontalPodAutoscaler no escala nada: los ficheros no dicen cuánto usan los Pods, salvo que lo diga una anotación sobre su comportamiento
   *[other] { $count } HorizontalPodAutoscalers no escalan nada: los ficheros no dicen cuánto usan los Pods, salvo que lo diga una anotación sobre su comportamiento
}
no-objects = { $nodes ->
    [one] Ningún fichero contiene un objeto: el clúster de { $nodes } nodo es inventado
   *[other] Ningún fichero contiene un objeto: el clúster de { $nodes } nodos es inventado
}
namespace-created = el espacio de nombres { $name } no está en ningún fichero, y se crea
generated-nodes = { $made ->
    [one] se crea { $made } nodo además de los { $own } de los ficheros; un Scenario con `cluster: { "{" }nodesPerZone: 0{ "}" }` prescinde de él
   *[other] se crean { $made } nodos además de los { $own } de los ficheros; un Scenario con `cluster: { "{" }nodesPerZone: 0{ "}" }` prescinde de ellos
}
start-time = t = 0 es { $time }, el último momento que, según los ficheros, ya había pasado
unreadable = el comando { $command } del enlace no se entiende: { $error }
lesson-gone = La lección { $name } ha desaparecido desde que se creó este enlace. Se abre como estaba, sin su historia.
lesson-changed = La lección { $name } ha cambiado desde que se creó este enlace. Se abre como estaba, sin su historia.

assumed = Se supone que existe lo que los ficheros nombran y no contienen
assumed-kinds = Se supone que existe lo que los ficheros nombran y no contienen: { $kinds }
means-nodes = no se coloca nada nuevo en un nodo del que solo se conoce el nombre
means-priority-classes = una clase tiene la prioridad que llevan sus Pods
means-storage-classes = una clase crea volúmenes allí adonde vaya el Pod
means-persistent-volumes = a un volumen así se llega desde todos los nodos, salvo que solo lo usen Pods pendientes
means-owners = lo que pertenece a un propietario así se queda, y lo que de ello termina no se vuelve a crear
means-counted = { $count ->
    [one] un objeto cuenta otros que no están en los ficheros: se supone que se ejecutan
   *[other] { $count } objetos cuentan otros que no están en los ficheros: se supone que se ejecutan
}
