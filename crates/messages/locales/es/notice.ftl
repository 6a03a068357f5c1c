time-is-paused = El tiempo está parado: reproduce o avanza un paso para ver qué sigue.
waits-for-answer = El tiempo espera tu respuesta: elige una en la historia, o pulsa *No lo sé*.
command-waits-for-answer = El tiempo espera tu respuesta en la historia: lo que produzca este comando viene después.
nothing-to-undo = en esta rama no hay ningún comando que deshacer
no-solution = Esta historia no tiene ninguna solución que se pueda reproducir desde aquí.
piped-late = error: una tubería recoge lo que se muestra en el acto; la respuesta de este comando llega mientras corre el tiempo

request-waits = { $what } espera a que se llegue a { $until }
request-dropped = no se ha hecho, porque no se llegó a { $until }: { $what }
too-many-wait = { $most ->
    [one] no se ha hecho: ya hay { $most } acción que espera a que se llegue a { $until }
   *[other] no se ha hecho: ya hay { $most } acciones que esperan a que se llegue a { $until }
}

play = la reproducción
step = el evento siguiente
next-decision = la decisión siguiente
skip = el salto
fork = la rama
undo = la acción de deshacer
remedy = el remedio
seek = el paso a otro instante

lines-wait = Esperando a que termine `{ $command }`: { $lines }. Ctrl-C lo termina y descarta lo que espera.
lines-dropped = sin ejecutar: { $lines }
too-many-lines = { $most ->
    [one] sin ejecutar: como máximo espera { $most } línea
   *[other] sin ejecutar: como máximo esperan { $most } líneas
}
lines = { $more ->
    [0] { $first }
    [one] { $first } y otra línea
   *[other] { $first } y { $more } líneas más
}

limit-branches = { $most ->
    [one] en una sesión cabe como máximo { $most } rama
   *[other] en una sesión caben como máximo { $most } ramas
}
limit-commands = { $most ->
    [one] en una rama cabe como máximo { $most } comando
   *[other] en una rama caben como máximo { $most } comandos
}
limit-records = { $most ->
    [one] en la ejecución cabe como máximo { $most } registro: se detiene aquí
   *[other] en la ejecución caben como máximo { $most } registros: se detiene aquí
}

goal-invariant = Una invariante no tiene campos; escribe `always` en el fichero.
goal-no-object = Ahora no existe ese objeto.
goal-no-field = En esta línea no hay ningún campo.
goal-unsupported-field = Este campo no puede ser un objetivo.
goal-differs-per-run = Nadie podría alcanzar este objetivo: cada ejecución da a este campo un valor propio.
goal-drawn-name = Nadie podría alcanzar este objetivo: cada ejecución sortea el nombre del Pod. La fase, el nodo, la condición Ready y las etiquetas de un Pod así pueden ser objetivos, para todos los Pods con sus etiquetas; o elige un campo de su propietario.

other-engine = Este enlace se creó con el motor { $maker }; este es el { $own }, que decide de otro modo en algún punto antes de { $before }.
other-engine-followed = Este enlace se creó con el motor { $maker }, que seguía a Kubernetes { $followed }; este es el { $own }, que decide de otro modo en algún punto antes de { $before }.
