refused-command = rechazado: { $line }
fault = fallo: { $fault }
repaired = reparado: { $fault }
fenced = fencing hecho

created = creado
updated = actualizado
wants-pods = { $replicas ->
    [one] quiere { $replicas } Pod
   *[other] quiere { $replicas } Pods
}
deletion-requested = { $grace ->
    [0] eliminación pedida, sin período de gracia
   *[other] eliminación pedida, período de gracia de { $grace } s
}
deleted = ya no está en la API
refused = rechazado
refused-because = rechazado: { $message }
event = evento { $reason }
broken = { $guarantee }: rota
expectation-holds = se cumple lo esperado
expectation-fails = no se cumple lo esperado

bound = vinculado a { $node }
chosen = el planificador elige { $node }
no-node-fits = no cabe en ningún nodo
preempts = { $preempts ->
    [one] no cabe en ningún nodo: expropia { $preempts } Pod
   *[other] no cabe en ningún nodo: expropia { $preempts } Pods
}
attempt-failed = ha fallado el intento de planificación
nominated = nominado para { $node }
preempted = expropiado por { $by }
gated = retenido por puertas de planificación

image-pulled = imagen { $image } descargada
started = { $container } arrancado
started-again = { $container } arrancado otra vez, reinicio { $restarts }
exited = { $container } salió con código { $code }
exited-because = { $container } salió con código { $code }: { $reason }
hook-started = { $container }: empieza el hook { $hook }
hook-finished = { $container }: acaba el hook { $hook }
hook-failed = { $container }: falla el hook { $hook }
signal = { $signal } a { $container }
probe-failed = { $container }: falla la sonda de { $probe }
probe-succeeds = { $container }: tiene éxito la sonda de { $probe }

volume-attached = volumen { $volume } conectado
volume-detached = volumen { $volume } desconectado
volume-mounted = volumen { $volume } montado
volume-unmounted = volumen { $volume } desmontado
volume-corrupted = dos nodos han escrito en un mismo volumen
registered = registrado
condition = { $condition } es { $status }
condition-because = { $condition } es { $status }: { $reason }
tainted = contaminado con { $taint }
untainted = contaminación { $taint } quitada

no-requests = ya no hay peticiones
requests = { $rate } peticiones por segundo
