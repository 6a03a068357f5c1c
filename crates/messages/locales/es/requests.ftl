why-fail = ¿Por qué fallan las peticiones a { $pod }?
calls = hacia
no-requests = sin peticiones
why-they-failed = Por qué fallaron
failed = { $count ->
    [one] { $count } fallida
   *[other] { $count } fallidas
}
more = { $count ->
   *[other] +{ $count } más
}

every-node = todos los nodos
node = nodo { $name }
zone = zona { $name }
outside = exterior
clients = { $count ->
    [one] { $count } cliente
   *[other] { $count } clientes
}
