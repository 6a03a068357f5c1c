find = Buscar Pods y nodos
placeholder = Un nombre, etiqueta, estado, propietario, nodo, imagen o IP
hint = Enter va al siguiente, Shift + Enter al anterior
close = Volver a mostrarlo todo
found = { $pods ->
    [one] 1 Pod
   *[other] { $pods } Pods
}, { $nodes ->
    [one] 1 nodo
   *[other] { $nodes } nodos
}
