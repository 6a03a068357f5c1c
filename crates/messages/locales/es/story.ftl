story = Historia
step-of = Paso { $step } de { $count }
place-in-group = { $group } · { $step } de { $count }
place = { $step } de { $count }
waits-for-question = El tiempo espera a la pregunta del paso { $step }.
to-question = Ir a la pregunta

begins-when = La historia empieza cuando haya ocurrido esto:
time-runs = El tiempo corre.
time-stands = El tiempo está parado.
skip-to-story = Saltar a la historia
let-time-run = Dejar correr el tiempo

your-answer = tu respuesta
so-it-is = así es
your-answer-right = tu respuesta, y así es

try-it = Pruébalo
broken-at = Incumplido en el minuto { $time }:
broken-after = . Lo que se alcance después no cuenta.
back-to = Volver a { $time }

start-over = Empezar de nuevo
next-waits-for-answer = «Siguiente» espera tu respuesta.
next-is-closed = «Siguiente» está bloqueado: vuelve atrás, o empieza de nuevo.
next-waits-for = «Siguiente» espera a que se cumpla:
show-me = Muéstramelo
show-me-hint = Va al próximo comando de la solución y lo ejecuta; lo que hiciste se conserva como rama
step-before = El paso anterior
next = Siguiente ›
to-end = Al final ›
