not-examined = no examinado: ya se habían encontrado nodos suficientes

failed = La decisión sobre { $pod } ha fallado: { $error }. El planificador lo intenta de nuevo tras una pausa.
only-node = { $of ->
    [one] { $pod } va a { $node }: de 1 nodo, es el único que puede aceptarlo.
   *[other] { $pod } va a { $node }: de { $of } nodos, es el único que puede aceptarlo.
}
only-node-past = { $of ->
    [one] { $pod } fue a { $node }: de 1 nodo, era el único que podía aceptarlo.
   *[other] { $pod } fue a { $node }: de { $of } nodos, era el único que podía aceptarlo.
}
best = { $of ->
    [one] { $pod } va a { $node }: { $fit } de 1 nodo puede aceptarlo, y { $node } tiene la puntuación más alta.
   *[other] { $pod } va a { $node }: { $fit } de { $of } nodos pueden aceptarlo, y { $node } tiene la puntuación más alta.
}
best-past = { $of ->
    [one] { $pod } fue a { $node }: { $fit } de 1 nodo podía aceptarlo, y { $node } tuvo la puntuación más alta.
   *[other] { $pod } fue a { $node }: { $fit } de { $of } nodos podían aceptarlo, y { $node } tuvo la puntuación más alta.
}
drawn = { $among ->
    [one] { $pod } va a { $node }: es el único nodo con la puntuación más alta, y le ha tocado en el sorteo.
   *[other] { $pod } va a { $node }: es uno de los { $among } nodos empatados con la puntuación más alta, y le ha tocado en el sorteo.
}
drawn-past = { $among ->
    [one] { $pod } fue a { $node }: era el único nodo con la puntuación más alta, y le tocó en el sorteo.
   *[other] { $pod } fue a { $node }: era uno de los { $among } nodos empatados con la puntuación más alta, y le tocó en el sorteo.
}
to-be-drawn = { $pod } va a uno de estos nodos: { $nodes }. Tienen la misma puntuación, y decide un sorteo.

waits-no-nodes = { $pod } espera: el clúster no tiene nodos.{ $room }
waits-whatever-the-node = { $pod } espera: { $why }, sea cual sea el nodo.{ $room }
waits-only-node = { $pod } espera: el único nodo no puede aceptarlo: { $why }.{ $room }
waits-refused = { $nodes ->
    [one] { $pod } espera: de 1 nodo, ninguno puede aceptarlo. Motivos: { $causes }.{ $room }
   *[other] { $pod } espera: de { $nodes } nodos, ninguno puede aceptarlo. Motivos: { $causes }.{ $room }
}
cause = { $nodes } { $why }
room = { $victims ->
    [one] Puede desplazar un Pod menos importante en { $nodes } y ocupar su sitio.
   *[other] Puede desplazar { $victims } Pods menos importantes en { $nodes } y ocupar su sitio.
}
or = { " " }o{ " " }

won-only-node = el único nodo que puede aceptarlo, así que no se puntúa nada
won-ahead = { $points } puntos frente a { $next-points } del siguiente, { $next }: { $leads }
lead = { $points } puntos de { $plugin } ({ $about })
and = { " " }y{ " " }
won-tie = { $nodes } nodos comparten la puntuación más alta, { $points }; kube-scheduler elige uno al azar
won-tie-drawn = { $nodes } nodos comparten la puntuación más alta, { $points }; kube-scheduler elige uno al azar, y ha salido { $chosen }

sampling = se han examinado { $examined } de { $nodes } nodos: la búsqueda acaba cuando { $wanted } pueden aceptar el Pod
fits = puede aceptar el Pod
with-note = { $words }; { $note }
not-named = no es uno de los nodos que nombra la afinidad del Pod

not-helpful = que termine un Pod no cambia eso: { $why }
no-victims = ningún Pod de allí es menos importante
still-refused = sin ninguno de los Pods menos importantes { $plugin } sigue rechazándolo: { $why }
never = la preemptionPolicy del Pod es Never: espera, y no termina a nadie
terminating = los Pods que expropió antes todavía están terminando en su nodo nominado: espera a que acaben
no-candidate = terminar Pods menos importantes no permitiría que el Pod se ejecutara en ningún nodo
one-candidate = un nodo serviría sin algunos Pods menos importantes
only-candidate = { $candidates } nodos servirían sin algunos Pods menos importantes; de ellos se toma el elegido porque es el único candidato
fewest-violations = { $candidates } nodos servirían sin algunos Pods menos importantes; de ellos se toma el elegido porque incumple menos PodDisruptionBudgets
lowest-priority = { $candidates } nodos servirían sin algunos Pods menos importantes; de ellos se toma el elegido porque su víctima más importante tiene la prioridad más baja
lowest-sum = { $candidates } nodos servirían sin algunos Pods menos importantes; de ellos se toma el elegido porque las prioridades de sus víctimas tienen la suma más baja
fewest-victims = { $candidates } nodos servirían sin algunos Pods menos importantes; de ellos se toma el elegido porque tiene menos víctimas
latest-start = { $candidates } nodos servirían sin algunos Pods menos importantes; de ellos se toma el elegido porque sus víctimas más importantes arrancaron las últimas
candidates-tie = { $candidates } nodos servirían sin algunos Pods menos importantes; varios de ellos son iguales y puede tomarse cualquiera

separator = ,{ " " }
gap = { " " }
more-even = uso equilibrado de sus recursos { $without } → { $with }: este Pod equilibra el nodo
as-even = uso equilibrado de sus recursos { $without } → { $with }: este Pod deja el nodo igual de equilibrado
less-even = uso equilibrado de sus recursos { $without } → { $with }: este Pod desequilibra el nodo
