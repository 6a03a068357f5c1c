name = En qué difieren
same-so-far = Hasta ahora las dos ejecuciones son iguales.
first-difference = Primera diferencia en el minuto { $instant }:
in-this-run = { $event } (esta ejecución)
in-the-other = { $event } (la otra)
go-there = Ir allí
no-pod-differs = Ahora no difiere ningún Pod
pods-differ = { $count ->
    [one] Ahora difiere 1 Pod
   *[other] Ahora difieren { $count } Pods
}
pods-differ-hint = Tiene un contorno: va a él; otra vez, al siguiente
figures = Cifras
