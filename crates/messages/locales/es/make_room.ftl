title = Qué hace sitio para { $count }
none = Nada de lo que se ha probado: retirar cordones, etiquetas, contaminaciones, y más nodos de los tipos que hay.
ask = Hacer sitio para
ask-end = como este
find = ¿Qué lo lograría?
fits-then = { $count ->
    [one] entonces cabe 1
   *[other] entonces caben { $count }
}
do-it = Hacerlo
