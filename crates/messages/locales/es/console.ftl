console = Consola
command = Comando
close = Cerrar la consola
close-hint = Cerrar (Esc)
completions = Sugerencias

type-or-last = Escribe un comando, o ↑ para el último: { $last }
type-command = Escribe un comando, como kubectl get pods

log = Lo que se ordenó y lo que se mostró
empty-log = kubectl … cambia lo que contiene el servidor API, fault … el mundo que lo rodea. help enumera ambos.
lines = { $count ->
    [one] { $count } línea
   *[other] { $count } líneas
}

manifests = Manifiestos: Enter los aplica, Esc los descarta.
scenario = Un escenario: Enter lo abre, y esta sesión se guarda. Esc lo descarta.
open-document = Enter añade una línea; la última lo termina. Esc lo descarta.
commands = { $count ->
    [one] Enter lo ejecuta, Esc lo descarta.
   *[other] Enter ejecuta estos { $count } comandos, Esc los descarta.
}
