no-node-object = sin objeto Node
no-machine = sin máquina
machine-is-off = máquina apagada
off = apagado
no-kubelet = sin kubelet en marcha
no-runtime = el runtime no responde
cut-off-last-heard = aislado, última señal hace { $time }
unreachable = inalcanzable { $time }
not-ready = no listo
not-ready-because = no listo: { $reason }

cut-off = aislado
cut-off-from = sin enlace con { $end }
nothing-from-arrives = no llega nada desde { $end }
nothing-arrives-at = no llega nada hasta { $end }
nothing-sent-arrives = no le llega nada de lo que se le envía
first-cut-and-more = { $first } y { $count ->
   *[other] { $count } más
}

cut-off-notready-in = aislado · NotReady dentro de { $time }
notready-in = NotReady dentro de { $time }
notready-evicts-in = NotReady · desaloja dentro de { $time }
evicts-in = desaloja dentro de { $time }

name = Nodo { $node }
ready = listo
cordoned = acordonado
pods = { $count ->
    [one] 1 Pod
   *[other] { $count } Pods
}
only-name-known = solo se conoce su nombre

pods-only-name-known = { $count ->
    [one] 1 Pod · solo se conoce su nombre
   *[other] { $count } Pods · solo se conoce su nombre
}
running-pods = { $count ->
    [one] se ejecuta 1 Pod
   *[other] se ejecutan { $count } Pods
}
cordoned-hint = Acordonado: no acepta Pods nuevos
taint = Contaminación { $taint }
verdict-at = { $verdict } en { $instant }

heal-links = Reparar los enlaces de { $node }
cut-everything = Aislar { $node } de todo

requests = solicitudes: cpu { $cpu }, memoria { $memory }, { $places ->
    [one] { $pods } de { $places } Pod
   *[other] { $pods } de { $places } Pods
}
wants = { $pod } quiere { $amount }
free = { $amount } libre
has = { $node } tiene { $amount }

pods-on = Pods en { $node }
nominated-hint = { $pod } está nominado aquí: se le está haciendo sitio
nominated-here = nominado aquí:
api-nominated = API: nominado
waits-for-room = espera sitio

api = API
pressure-as-in-files = Presión como en los ficheros, que aquí no mide nadie: dura hasta que la máquina se arranca de nuevo
pressure-lasts-longer = Una vez pasada, la presión se comunica 5 min más, salvo que evictionPressureTransitionPeriod diga otra cosa
