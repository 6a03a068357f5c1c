will-not-ready = { $count ->
    [1] { $name } pasa a NotReady
   *[other] { $count } nodos pasan a NotReady
}
will-evicted = { $count ->
    [1] se desaloja { $name }
   *[other] se desalojan { $count } Pods
}
will-lease = { $count ->
    [1] otro proceso toma el lease { $name }
   *[other] otros procesos toman { $count } leases
}
will-attempt = { $count ->
    [1] el planificador vuelve a probar { $name }
   *[other] el planificador vuelve a probar { $count } Pods
}
will-back-off = { $count ->
    [1] { $name } vuelve a arrancar
   *[other] { $count } contenedores vuelven a arrancar
}
will-probe = { $count ->
    [1] la sonda de { $name } llega a su límite de fallos
   *[other] la sonda de { $count } contenedores llega a su límite de fallos
}
will-stop-signal = { $count ->
    [1] al hook preStop de { $name } se le acaba el tiempo
   *[other] al hook preStop de { $count } contenedores se le acaba el tiempo
}
will-kill = { $count ->
    [1] { $name } recibe SIGKILL
   *[other] { $count } contenedores reciben SIGKILL
}
will-exit = { $count ->
    [1] { $name } termina por sí solo
   *[other] { $count } contenedores terminan por sí solos
}
will-job = { $count ->
    [1] { $name } crea un Job
   *[other] { $count } CronJobs crean un Job
}
will-script = continúa el escenario
will-story = continúa la historia
will-solution = { $count ->
    [1] la solución ejecuta { $name }
   *[other] la solución ejecuta { $count } comandos
}

event-in = { $event } dentro de { $time }
in-time = dentro de { $time }
events-in = { $event } dentro de { $time }, { $then } dentro de { $then-time }

was-not-ready = { $count ->
    [1] { $name } pasó a NotReady
   *[other] { $count } nodos pasaron a NotReady
}
was-evicted = { $count ->
    [1] se desalojó { $name }
   *[other] se desalojaron { $count } Pods
}
was-lease = { $count ->
    [1] el lease { $name } tiene otro titular
   *[other] { $count } leases tienen otro titular
}
was-attempt = { $count ->
    [1] el planificador volvió a probar { $name }
   *[other] el planificador volvió a probar { $count } Pods
}
was-back-off = { $count ->
    [1] { $name } volvió a arrancar
   *[other] { $count } contenedores volvieron a arrancar
}
was-probe = { $count ->
    [1] falló la sonda de { $name }
   *[other] falló la sonda de { $count } contenedores
}
was-stop-signal = { $count ->
    [1] { $name } recibió la señal de parada
   *[other] { $count } contenedores recibieron la señal de parada
}
was-kill = { $count ->
    [1] { $name } recibió SIGKILL, o ya había terminado
   *[other] { $count } contenedores recibieron SIGKILL, o ya habían terminado
}
was-exit = { $count ->
    [1] terminó { $name }
   *[other] terminaron { $count } contenedores
}
was-job = { $count ->
    [1] { $name } creó un Job
   *[other] { $count } CronJobs crearon un Job
}
was-script = continuó el escenario
was-story = continuó la historia
was-solution = { $count ->
    [1] la solución ejecutó { $name }
   *[other] la solución ejecutó { $count } comandos
}

mark-evicted = desalojo
mark-lease = lease
mark-attempt = reintento
mark-back-off = reinicio
mark-probe = sonda fallida
mark-exit = termina
mark-script = escenario
mark-story = historia
mark-solution = solución

to-eviction = el desalojo
to-leader = el nuevo líder
to-attempt = el reintento
to-restart = el reinicio
to-probe = el fallo de la sonda
to-exit = su final
to-job = el próximo Job
to-script = el próximo evento
to-story = la historia
to-solution = la solución

stop = Detener
until = hasta { $time }
answer-first = Responde antes
time-waits = el tiempo espera
next-page = Página siguiente
step = paso { $step }
your-move = te toca
next-decision = Decisión siguiente

skipping = Saltando hasta { $time }
looking = Buscando una decisión, como muy tarde hasta { $time }
waits-for-answer = El tiempo espera la respuesta a la pregunta de la historia
story-goes-on = La historia continúa
until-decision = Avanza hasta que el planificador decida algo (n)

showing = Mostrando: { $name } en el minuto { $time }.
occurred = { $waited } después: { $event }.
did-not-occur = { $waited } después; esto no llegó a ocurrir: { $event }.
story-went-on = { $waited } después: la historia continúa.
decided = { $waited } después: el planificador ha tomado una decisión.
no-decision = No se ha decidido nada en { $waited }, hasta { $time }: el planificador espera un Pod, o algo que ayude a uno.
before-decision = { $waited } después: { $event }, antes de cualquier decisión.
one-event = { $by }: { $what }.
one-event-of = { $by }: { $what } { $of }.
nothing-comes = Han pasado diez minutos sin ningún cambio: mientras nadie haga nada, no lo habrá.
