title = Peticiones a { $service }

failed = { $requests }: { $why }
failed-for = { $requests }: { $why }, durante { $time }
believed = { $failed }; { $node } lo tenía en su lista de endpoints desde { $since }
believed-unaware = { $failed }; { $node } lo tenía en su lista de endpoints desde { $since }, y no se había enterado del cambio

refused = { $count ->
    [one] { $count } petición rechazada
   *[other] { $count } peticiones rechazadas
}
reset = { $count ->
    [one] { $count } petición cortada
   *[other] { $count } peticiones cortadas
}
timeout = { $count ->
    [one] { $count } petición sin respuesta a tiempo
   *[other] { $count } peticiones sin respuesta a tiempo
}
error = { $count ->
    [one] { $count } petición respondida con un error
   *[other] { $count } peticiones respondidas con un error
}
other = { $count ->
    [one] { $count } petición con el resultado { $outcome }
   *[other] { $count } peticiones con el resultado { $outcome }
}

starting = { $node } eligió { $pod }, que ya se ejecutaba pero aún no escuchaba
not-running = { $node } eligió { $pod }, que se había detenido
not-running-since = { $node } eligió { $pod }, que se había detenido { $ago } antes
not-running-up-to = { $node } eligió { $pod }, que se había detenido como mucho { $ago } antes
listener-closed = { $node } eligió { $pod }, que había cerrado su puerto
listener-closed-since = { $node } eligió { $pod }, que había cerrado su puerto { $ago } antes
listener-closed-up-to = { $node } eligió { $pod }, que había cerrado su puerto como mucho { $ago } antes
process-ended = { $node } eligió { $pod }, que terminó con peticiones en curso
pod-gone = { $node } eligió { $pod }, que ha desaparecido de su nodo
pod-without-power = { $node } eligió { $pod }, que está en una máquina sin corriente
pod-cut-off = { $node } eligió { $pod }, que está detrás de un enlace cortado
server-error = { $node } eligió { $pod }, que responde con errores
server-slow = { $node } eligió { $pod }, que tarda en responder más de lo que espera el cliente

no-service = no existe el Service { $service }
no-name = { $node } no alcanza el DNS del clúster
no-rules = { $node } no tiene reglas para { $service }
no-endpoints = { $node } no conoce ningún endpoint de { $service }
no-local-endpoints = { $service } solo admite endpoints del mismo nodo, y { $node } no tiene ninguno
no-power = { $node } está sin corriente
cut-off = no se puede llegar a { $node }

a-moment = menos de 0.1 s
