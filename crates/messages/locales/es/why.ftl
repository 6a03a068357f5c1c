nobody-can-say = Nadie puede decir por qué este Pod está pendiente: { $what }.
real-scheduler-said = El planificador real dijo:
not-looked-at-yet = El planificador aún no ha examinado este Pod.
scheduler-not-asked = Se vinculó antes de t = 0, o llegó con su nodo: no se preguntó al planificador.
attempt = { $count ->
   *[other] Intento { $number } de { $count } · { $instant }
}
last-attempt = El último intento
attempt-before = El intento anterior
next-attempt = El intento siguiente
as-the-event-says = Como lo dice el evento

cannot-take-it = { $count ->
    [one] No puede aceptarlo ({ $count })
   *[other] No pueden aceptarlo ({ $count })
}
nodes = { $count ->
    [one] { $count } nodo
   *[other] { $count } nodos
}
and-more = { $count ->
   *[other] y { $count } más
}
devices = Dispositivos

scores = Puntuaciones
plugin = plugin
weight = peso
total = total
what-it-adds = Lo que aporta { $plugin }
and-more-nodes = { $count ->
    [one] y { $count } nodo más
   *[other] y { $count } nodos más
}

spread-by = Distribución por { $key }
spread-hard = El más vacío tiene { $least }; maxSkew { $skew } permite como máximo { $limit } en cada uno.
spread-soft = El más vacío tiene { $least }; con maxSkew { $skew }, preferiblemente como máximo { $limit } en cada uno.
spread-hard-few-domains = { $wanted ->
    [one] El más vacío cuenta como 0: hay { $found } de { $wanted } dominio (minDomains { $wanted }); maxSkew { $skew } permite como máximo { $limit } en cada uno.
   *[other] El más vacío cuenta como 0: hay { $found } de { $wanted } dominios (minDomains { $wanted }); maxSkew { $skew } permite como máximo { $limit } en cada uno.
}
spread-soft-few-domains = { $wanted ->
    [one] El más vacío cuenta como 0: hay { $found } de { $wanted } dominio (minDomains { $wanted }); con maxSkew { $skew }, preferiblemente como máximo { $limit } en cada uno.
   *[other] El más vacío cuenta como 0: hay { $found } de { $wanted } dominios (minDomains { $wanted }); con maxSkew { $skew }, preferiblemente como máximo { $limit } en cada uno.
}
full = lleno
full-hint = Con este Pod el desequilibrio sería { $skew }
not-scored = sin puntuar
not-scored-hint = Ningún nodo de ahí puede aceptar el Pod

making-room = Hacer sitio
nominated = nominado
victims = víctimas: { $pods }
may-stay = pueden quedarse: { $pods }
victim = { $pod } (prioridad { $priority })
no-pods = ninguna
against-budget = { $count ->
   *[other] { $count } contra un presupuesto de interrupción
}

what-would-help = ¿Qué ayudaría?
what-would-help-pod = ¿Qué ayudaría a { $pod }?
trying = Probando cambios
stop = Detener
try-on-branch = Probar en una rama
try-remedy = Probar en una rama: { $remedy }
one-more-node = Un nodo más de un grupo
nothing-found = No se ha encontrado ningún cambio que por sí solo permita planificarlo.
nothing-can-be-tried = No se puede probar ningún cambio: { $what }. Cuando esté entre los ficheros, habrá respuesta.
nothing-found-foreign = No se ha encontrado ningún cambio que baste por sí solo: el planificador `{ $scheduler }` no se ejecuta aquí, y ninguno de los que se ejecutan tiene un nodo para él.
