order-that-works = Orden que funciona
stops-at = Se detiene en
shapes = Tipos de Pod
not-wanted-on = No hace falta en
what-makes-room = Qué hace sitio
node-groups = Grupos de nodos

goes = { $pod } (de { $from }) -> { $to }
goes-nowhere = { $pod } (de { $from }) -> sin nodo: { $reason }
new-goes = { $pod } (nuevo) -> { $to }
new-goes-nowhere = { $pod } (nuevo) -> sin nodo: { $reason }
nothing-changes = No cambia nada.

stops = se detiene en { $node-and-why }
rolling-summary = { $drained ->
    [one] { $drained } nodo drenado
   *[other] { $drained } nodos drenados
 }, { $stopped ->
   *[other] { $stopped } sin drenar
 }, al cabo de { $seconds } s.

fit-after = { $count ->
    [one] cabe { $count }
   *[other] caben { $count }
 } después de: { $commands }

group = { $name }: { $nodes ->
    [one] 1 nodo
   *[other] { $nodes } nodos
 }, { $limits }, un nodo nuevo es como { $like }
group-of-default-machine = { $name }: { $nodes ->
    [one] 1 nodo
   *[other] { $nodes } nodos
 }, { $limits }, un nodo nuevo es como la máquina por defecto
limits = mínimo { $min }, máximo { $max }
limits-without-max = mínimo { $min }, máximo desconocido
limits-not-known = límites desconocidos
pod = Pod { $pod }
pod-of-owner = Pod { $pod } de { $owner }
pods = Pod { $pod }, y { $more ->
   *[other] { $more } más
 }
pods-of-owner = Pod { $pod } de { $owner }, y { $more ->
   *[other] { $more } más
 }
no-group = No hay ningún grupo de nodos; { $pods ->
    [one] espera { $pods } Pod
   *[other] esperan { $pods } Pods
 }.
grow-summary = Modelo del cluster autoscaler: de { $waiting ->
    [one] { $waiting } Pod que espera
   *[other] { $waiting } Pods que esperan
 }, un grupo de nodos ayuda a { $helped ->
   *[other] { $helped }
 }, y { $fitting ->
    [one] { $fitting } cabe
   *[other] { $fitting } caben
 } sin más nodos.
with-not-asked = { $summary } { $more ->
    [one] No se ha preguntado por { $more } Pod más.
   *[other] No se ha preguntado por { $more } Pods más.
 }
