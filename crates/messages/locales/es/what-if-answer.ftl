blocked = Bloqueados
volumes-that-stay = Volúmenes que se quedan
less-than-before = Menos que antes
broken-guarantees = Garantías rotas
can-go = Sobran
are-needed = Hacen falta

in-draws = { $what } (en { $often } de { $draws ->
    [one] { $draws } sorteo
   *[other] { $draws } sorteos
 })
stays = { $pod } se queda: { $why }
budget-allows = { $budget } permite { $allowed ->
    [one] { $allowed } interrupción
   *[other] { $allowed } interrupciones
 }, { $needed ->
    [one] hace falta { $needed }
   *[other] hacen falta { $needed }
 }
still-on-node = todavía está en el nodo

not-scheduled = aún no planificado
still-terminating = aún está terminando: su nodo no confirma el final, y su nombre sigue ocupado
no-controller = no tiene controlador: nada lo sustituye
daemon-goes = el Pod de su DaemonSet se va con el nodo
not-replaced = su { $kind } { $name } no lo ha sustituido

volume-stays = { $pod }, volumen { $volume }: { $why }
directory-of-node = el PersistentVolume { $volume } es un directorio de su nodo: su contenido se queda allí
usable-nowhere = el PersistentVolume { $volume } no se puede usar en ningún nodo
usable-only-on = el PersistentVolume { $volume } solo se puede usar en { $nodes }
usable-only-on-more = el PersistentVolume { $volume } solo se puede usar en { $nodes } y { $more ->
   *[other] { $more } más
 }
empty-dir = emptyDir: su contenido se elimina con el Pod
host-path = hostPath { $path }: su contenido se queda en { $node }

less = { $object }: { $level } durante { $seconds } s
less-still = { $object }: { $level } durante { $seconds } s, y así sigue al final
available-replicas = { $least } de { $wanted ->
    [one] { $wanted } réplica disponible
   *[other] { $wanted } réplicas disponibles
 }
healthy-pods = { $least } de { $wanted ->
    [one] { $wanted } Pod sano
   *[other] { $wanted } Pods sanos
 }
ready-endpoints = { $least } de { $wanted ->
    [one] { $wanted } endpoint listo
   *[other] { $wanted } endpoints listos
 }

breaks = rompe **{ $name }**

drained = { $node }: { $pods ->
    [one] se va 1 Pod
   *[other] se van { $pods } Pods
 } en { $seconds } s
not-drained = { $node }: { $pod }: { $why }
node-can-go = sobra: { $drained }
node-is-needed = hace falta: { $not-drained }

summary = { $placed ->
    [one] { $placed } colocado
   *[other] { $placed } colocados
 }, { $left ->
   *[other] { $left } sin nodo
 }, { $blocked ->
    [one] { $blocked } bloqueado
   *[other] { $blocked } bloqueados
 }, al cabo de { $seconds } s.
summary-of-draws = { $placed ->
    [one] { $placed } colocado
   *[other] { $placed } colocados
 }, { $left ->
   *[other] { $left } sin nodo
 }, { $blocked ->
    [one] { $blocked } bloqueado
   *[other] { $blocked } bloqueados
 }, al cabo de { $seconds } s, { $draws ->
    [one] { $draws } sorteo
   *[other] { $draws } sorteos
 }.
nodes-can-go = { $count ->
    [0] No sobra ningún nodo.
    [one] Sobra 1 nodo; se ha simulado su drenado.
   *[other] Sobran { $count } nodos, todos a la vez; se han simulado sus drenados.
}

fit = { $count ->
    [0] No cabe ningún Pod más de este tipo.
    [one] Cabe 1 Pod más de este tipo.
   *[other] Caben { $count } Pods más de este tipo.
}
fit-of-shapes = { $count ->
    [one] Cabe { $count } Pod más de estos tipos.
   *[other] Caben { $count } Pods más de estos tipos.
}
fit-at-least = { $count ->
    [one] Cabe { $count } Pod más de este tipo; no se ha seguido contando.
   *[other] Caben { $count } Pods más de este tipo; no se ha seguido contando.
}
fit-daemon-set = El Pod del DaemonSet cabe en { $count } de { $wanted ->
    [one] { $wanted } nodo
   *[other] { $wanted } nodos
 }.
shape = { $shape }: { $count }
shape-stops = { $shape }: { $count }; el siguiente no cabe
refused-by = { $reason }: { $nodes }
refused-by-more = { $reason }: { $nodes } y { $more ->
   *[other] { $more } más
 }
room-for = sitio para { $count ->
   *[other] { $count }
 }: `{ $commands }`
