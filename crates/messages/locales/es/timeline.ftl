name = Línea de tiempo
time = Tiempo

faults = Fallos
commands = Comandos
decisions = Decisiones
terminations = Terminaciones
requests = Peticiones
guarantees = Garantías
spread = Distribución
spread-of = Distribución de { $owner }
lanes = Carriles
as-lists = Los carriles como listas
as-lists-sr = Los carriles como listas:

zoom-in = Acercar
zoom-out = Alejar
see-all = Ver todo
legend = Leyenda
legend-hint = Qué significan las marcas, y qué acaba de ocurrir

event-at = { $event } · { $instant }
event-from-to = { $event } · de { $from } a { $to }
several-here = { $count ->
    [one] { $count } aquí, la última: { $last }
   *[other] { $count } aquí, la última: { $last }
}

main = principal
branch = rama { $number }
branch-hint = Rama { $number }: { $label }
branches = Ramas
leaves-at = Se separa en el minuto { $instant }
compare = Comparar
compare-hint = Comparar con { $branch }: en paralelo, con un mismo reloj
compare-no-commands = Comparar sin comandos
compare-no-commands-hint = En paralelo, con un mismo reloj y una misma semilla: esta ejecución, y la misma sin sus comandos
