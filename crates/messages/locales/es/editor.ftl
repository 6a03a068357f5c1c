editor = Editor
editor-beside = Editor junto al clúster
close = Cerrar el editor

begin-with = Empezar con
examples = Ejemplos
a-pod = Un Pod
spread = Un Deployment repartido por zonas
partition = Un StatefulSet y una partición
priorities = Prioridades
lesson = Una lección para completar
paste-hint = Pega lo que haya mostrado kubectl get … -A -o yaml, o suelta ficheros.

found = Lo que se ha encontrado en el texto
advice = Consejos
gap = un hueco: sustituye el ___
nothing-to-apply = Todavía no hay nada que aplicar: no contiene ningún objeto.
no-problems = Sin problemas.
refused = El servidor lo ha rechazado
and-more = { $count ->
   *[other] y { $count } más
}
time-stands = El tiempo está parado: reproduce o avanza un paso para ver qué sigue.

check-lesson = Comprobar la lección
check-lesson-hint = Prueba con la solución, sin hacer nada y con cada atajo, y dice qué hay que arreglar
apply-live = Aplicar al escribir
beside = Junto al clúster
beside-hint = El texto a un lado, lo que hace al otro
apply = Aplicar
apply-to-running = Aplicar al clúster en marcha
start-anew = Empezar de nuevo con esto
