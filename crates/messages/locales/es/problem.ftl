node-not-ready = { $pods ->
    [one] { $why }; hay { $pods } Pod en él
   *[other] { $why }; hay { $pods } Pods en él
}
kubelet-not-heard = no se sabe nada de su kubelet
not-ready-for = no listo: { $reason }

bring-machine-back = Recuperar la máquina o su red; mientras nadie sepa que está apagada, puede que sus Pods sigan ejecutándose. Cuando esté apagada con seguridad: { $command }
bring-node-back = Recuperar el nodo { $node }: entonces su kubelet termina el Pod
once-machine-is-off = Cuando la máquina esté apagada con seguridad: { $command }

gated = { $count ->
    [one] su puerta de planificación { $gates } lo retiene: el planificador no lo mira
   *[other] sus puertas de planificación { $gates } lo retienen: el planificador no lo mira
}
gate-of = { $gate } (la pone { $setter })
said-in-cluster = { $message } (se dijo en el clúster; { $missing })
nobody-can-say = nadie puede decir por qué: { $missing }
said-by-unknown-scheduler = { $message } (su planificador { $scheduler } no es ninguno de los que se conocen aquí)
unknown-scheduler = su planificador { $scheduler } no es ninguno de los que se conocen aquí: nada dice por qué espera
message-and-cause = { $message } { $cause }
and-cause = { $before }. { $cause }
made-for-node = Su DaemonSet lo creó solo para el nodo { $node }
claim-in-use = Su solicitud { $claim } es ReadWriteOncePod, y la usa el Pod { $pod } en el nodo { $node }
devices-on-node = En { $node }: { $lines }
fits-now = según lo que contienen los ficheros, ahora cabe: en { $nodes }
fits-on = aún no se ha planificado: cabe en { $nodes }

ended-containers = { $ends }
message-and-ends = { $message }: { $ends }
container-ended = el contenedor { $container } terminó con { $exit }
container-restarts = { $restarts ->
    [one] el contenedor { $container } termina con { $exit }; se ha reiniciado una vez
   *[other] el contenedor { $container } termina con { $exit }; se ha reiniciado { $restarts } veces
}
exit-code = código de salida { $code }
reason-with-exit-code = { $reason } (código de salida { $code })

held-by-finalizers = { $count ->
    [one] el finalizador { $names } lo retiene: tiene que quitarlo quien lo puso
   *[other] los finalizadores { $names } lo retienen: tiene que quitarlos quien los puso
}
node-unreachable = no se puede llegar a su nodo { $node }, así que ningún kubelet confirma que sus contenedores hayan terminado
node-unreachable-then-held = { $count ->
    [one] no se puede llegar a su nodo { $node }, así que ningún kubelet confirma que sus contenedores hayan terminado; después lo retiene el finalizador { $names }
   *[other] no se puede llegar a su nodo { $node }, así que ningún kubelet confirma que sus contenedores hayan terminado; después lo retienen los finalizadores { $names }
}
grace-has-ended = su período de gracia ha pasado, y el kubelet de { $node } no lo ha terminado
grace-has-ended-unbound = su período de gracia ha pasado, y el kubelet de su nodo no lo ha terminado
used-by-pod = el Pod { $pod } todavía lo usa ({ $finalizer })
used-by-none = el finalizador { $finalizer } lo retiene, aunque no lo usa ningún Pod de los ficheros
waits-for-owned = espera a que desaparezca lo que le pertenece
content-not-gone = su contenido aún no ha desaparecido
finalizer-not-removed = aún no se ha quitado su finalizador
reserved-for = está reservado para { $users }
let-controller-finish = Dejar que acabe el controlador de { $names }, o, si ya no va a volver, quitar el finalizador: { $command }

of-container = contenedor { $container }: { $message }
ends-repeatedly = termina una y otra vez
image = imagen { $image }: { $message }
init-container-runs = su contenedor de inicialización { $container } aún no ha terminado
container-not-ready-for = el contenedor { $container } no está listo: { $message }
startup-probe-fails = la sonda de inicio del contenedor { $container } no tiene éxito
readiness-probe-fails = la sonda de readiness del contenedor { $container } falla
container-not-ready = el contenedor { $container } se ejecuta y no está listo
container-waits = el contenedor { $container } espera: { $reason }
not-created = aún no creado
readiness-gate = su readiness gate { $gate } no está en True
not-begun = está vinculado a { $node }, y el kubelet de ese nodo aún no lo ha empezado
only-containers-ready = sus contenedores están listos, y el Pod no

pod-not-ready = el Pod { $pod } no está listo: { $why }
node-of-pod-not-ready = su nodo { $node } no está listo
not-ready = nada dice por qué
cannot-create-pods = no se puede crear ningún Pod: { $message }
rollout = { $wanted ->
    [one] réplicas de la plantilla nueva: { $updated } de { $wanted }; { $pod }
   *[other] réplicas de la plantilla nueva: { $updated } de { $wanted }; { $pod }
}
daemon-rollout = { $wanted ->
    [one] nodos con un Pod de la plantilla nueva: { $updated } de { $wanted }; { $pod }, y eso agota maxUnavailable { $allowed }
   *[other] nodos con un Pod de la plantilla nueva: { $updated } de { $wanted }; { $pod }, y eso agota maxUnavailable { $allowed }
}

too-few-healthy = { $healthy ->
    [one] no permite ninguna interrupción: hay { $healthy } Pod sano y tiene que haber { $needed }
   *[other] no permite ninguna interrupción: hay { $healthy } Pods sanos y tiene que haber { $needed }
}
no-spare = { $pods ->
    [one] no permite ninguna interrupción: Pods sanos, { $healthy } de { $pods }; tiene que haber { $needed }
   *[other] no permite ninguna interrupción: Pods sanos, { $healthy } de { $pods }; tiene que haber { $needed }
}
get-pods-ready = Conseguir que estén listos los Pods de su selector que no están sanos
run-one-more = Ejecutar una réplica más, o hacer que el presupuesto permita una interrupción (maxUnavailable: 1)

volume-not-bound = su volumen { $volume } no está vinculado a él
waits-for-pod = la clase { $class } espera a que tenga un nodo el Pod { $pod }, que lo usa
waits-for-first-pod = la clase { $class } espera a un primer Pod que lo use, y no lo usa ninguno
waits-for-provisioner = espera a que { $provisioner } aprovisione su volumen
no-volume-fits = no le sirve ningún volumen, y ninguna clase aprovisiona uno
bound-without-devices = el Pod { $pod } se vinculó a { $node } sin él, y nada lo asigna
gets-devices-with-node = recibe sus dispositivos cuando el Pod { $pod }, que lo usa, recibe un nodo
attachment-error = volumen { $volume } en el nodo { $node }: { $message }
not-detached = el volumen { $volume } aún no se ha desconectado del nodo { $node }
