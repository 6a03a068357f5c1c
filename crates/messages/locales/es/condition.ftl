from = A partir de { $time }
from-what = A partir de { $time }: { $what }
until = A más tardar en { $time }
until-what = A más tardar en { $time }: { $what }
never = Nunca ocurre esto: { $what }
kept = Hasta el final: «{ $statement }»
and = , y{ " " }

object-in = { $object } en { $namespace }
exists = { $object } existe
is-gone = { $object } ya no existe
has-node = { $object } tiene un nodo
has-no-node = { $object } no tiene nodo
placed-on = { $object } está colocado en { $node }
placed-elsewhere = { $object } está colocado en un nodo que no es { $node }
phase = { $object } está en { $phase }
not-phase = { $object } no está en { $phase }
deleting = { $object } se está eliminando
not-deleting = { $object } existe y no se está eliminando
cordoned = { $object } está acordonado
not-cordoned = { $object } no está acordonado
nominated-to = { $object } está nominado para { $node }
nominated = { $object } está nominado para un nodo
priority = { $object } tiene la prioridad { $priority }
generation = { $position ->
    [start] El
   *[inside] el
} spec de { $object } está en su generación { $generation }
revision = { $object } está en la revisión { $revision }
ready = { $object } está listo
not-ready = { $object } no está listo
containers-ready = { $position ->
    [start] Los
   *[inside] los
} contenedores de { $object } están listos
unschedulable = { $position ->
    [start] El
   *[inside] el
} planificador no ha encontrado ningún nodo para { $object }
condition-is = { $position ->
    [start] La
   *[inside] la
} condición { $name } de { $object } es { $status }
condition-is-not = { $position ->
    [start] La
   *[inside] la
} condición { $name } de { $object } no es { $status }
condition-reason = { $position ->
    [start] La
   *[inside] la
} condición { $name } de { $object } tiene el motivo { $reason }
has-taint = { $object } tiene una contaminación con el efecto { $effect }
has-no-taint = { $object } no tiene ninguna contaminación con el efecto { $effect }
has-label-value = { $object } tiene la etiqueta { $name }={ $value }
has-label = { $object } tiene una etiqueta { $name }
has-no-label = { $object } no tiene ninguna etiqueta { $name }
restarted = { $object } tiene un contenedor que se ha reiniciado
restarted-times = { $object } tiene un contenedor que se ha reiniciado al menos { $times ->
    [one] { $times } vez
   *[other] { $times } veces
}
container-waits = { $object } tiene un contenedor en espera: { $reason }
container-ended = { $object } tiene un contenedor que ha terminado: { $reason }
has-reason = { $object } tiene el motivo { $reason }
has-image = { $object } tiene la imagen { $image }
has-grace = { $object } tiene un período de gracia de { $seconds } s
has-field = { $object } tiene { $path }
has-no-field = { $object } no tiene { $path }
field-is = { $path } de { $object } es { $number }
field-is-not = { $path } de { $object } no es { $number }

wants-pods = { $count ->
    [one] { $object } quiere { $number } Pod
   *[other] { $object } quiere { $number } Pods
}
wants-healthy-pods = { $count ->
    [one] { $object } quiere { $number } Pod sano
   *[other] { $object } quiere { $number } Pods sanos
}
has-pods = { $count ->
    [one] { $object } tiene { $number } Pod
   *[other] { $object } tiene { $number } Pods
}
has-ready-pods = { $count ->
    [one] { $object } tiene { $number } Pod listo
   *[other] { $object } tiene { $number } Pods listos
}
has-available-pods = { $count ->
    [one] { $object } tiene { $number } Pod disponible
   *[other] { $object } tiene { $number } Pods disponibles
}
has-latest-pods = { $count ->
    [one] { $object } tiene { $number } Pod de su última plantilla
   *[other] { $object } tiene { $number } Pods de su última plantilla
}
has-failed-pods = { $count ->
    [one] { $object } tiene { $number } Pod fallido
   *[other] { $object } tiene { $number } Pods fallidos
}
has-succeeded-pods = { $count ->
    [one] { $object } tiene { $number } Pod terminado con éxito
   *[other] { $object } tiene { $number } Pods terminados con éxito
}
has-healthy-pods = { $count ->
    [one] { $object } tiene { $number } Pod sano
   *[other] { $object } tiene { $number } Pods sanos
}

no-objects = { $position ->
    [start] No
   *[inside] no
} hay { $objects }
objects = { $position ->
    [start] Hay
   *[inside] hay
} { $number } { $objects }
not-objects = { $position ->
    [start] No
   *[inside] no
} hay exactamente { $number } { $objects }
same-objects = { $position ->
    [start] Los
   *[inside] los
} { $objects } siguen siendo los mismos: no desaparece ni se añade ninguno

or = { " " }o{ " " }
named = { $objects } de nombre { $names }
labelled = { $objects } con etiquetas { $labels }
in-phase = { $objects } en { $phase }
on-node = { $objects } en { $node }
with-field = { $objects } con { $field }
in-namespace = { $objects } del espacio de nombres { $namespace }
in-all-namespaces = { $objects } de todos los espacios de nombres
serving = { $objects } en Ready y sin eliminación pedida

no-request = { $position ->
    [start] No
   *[inside] no
} hay ninguna petición a { $service }{ $which }
one-request = { $position ->
    [start] Hay
   *[inside] hay
} 1 petición a { $service }{ $which }
requests = { $position ->
    [start] Hay
   *[inside] hay
} { $number } { $count ->
    [one] petición
   *[other] peticiones
} a { $service }{ $which }
not-requests = { $position ->
    [start] No
   *[inside] no
} hay exactamente { $number } { $count ->
    [one] petición
   *[other] peticiones
} a { $service }{ $which }

that-failed = con fallo
with-outcome = con el resultado { $outcome }

between = de { $least } a { $most }
at-least = al menos { $least }
at-most = como máximo { $most }
