name = { $nodes ->
    [one] { $nodes } nodo
   *[other] { $nodes } nodos
} en { $groups ->
    [one] { $groups } grupo
   *[other] { $groups } grupos
}; las flechas van de nodo en nodo, Enter selecciona
groups = Grupos
all-groups = Todos los grupos

group-hint = { $nodes ->
    [one] { $nodes } nodo
   *[other] { $nodes } nodos
}, { $pods ->
    [one] { $pods } Pod
   *[other] { $pods } Pods
}. Ver solo este
not-ready = { $count ->
    [one] { $count } no listo
   *[other] { $count } no listos
}
pods = Pods
