# Requests of clients to Services, on the stage.

why-fail = Why do requests to { $pod } fail?
# Read by screen readers for the arrow between the clients and the Service.
calls = calls
no-requests = no requests
why-they-failed = Why they failed
failed = { $count ->
   *[other] { $count } failed
}
# Further Services.
more = { $count ->
   *[other] +{ $count } more
}

## Who sends

every-node = every node
node = node { $name }
zone = zone { $name }
# Clients outside the cluster.
outside = outside
clients = { $count ->
   *[other] { $count } clients
}
