progress = Progreso
answered-of = { $done } de { $count } respondidas
done-of = { $done } de { $count } hechas
answered = respondidas
done = hechas
begin-with = Empezar: { $title }
continue-with = Continuar: { $title }
your-name = Tu nombre o número
hand-in = Guardar el fichero para entregarlo
leave = Salir del curso
about-file = Se guarda solo en este dispositivo. El fichero contiene el enlace de cada ejecución, y quien lo corrige reproduce las ejecuciones.
replay = Repetición
replay-of = Repetición de { $title }
place = { $number } de { $count }

task-answered = respondida
task-begun = empezada
score = { $percent } %
with-weight = { $state } · peso { $weight }
not-tried = sin intentar · peso { $weight }

about-exam = { $minutes ->
    [one] { $minutes } minuto; para aprobar, { $pass } % de los puntos. Las partes de una tarea cuentan. Las pistas y «Muéstramelo» están desactivados.
   *[other] { $minutes } minutos; para aprobar, { $pass } % de los puntos. Las partes de una tarea cuentan. Las pistas y «Muéstramelo» están desactivados.
}
about-exam-with-hints = { $minutes ->
    [one] { $minutes } minuto; para aprobar, { $pass } % de los puntos. Las partes de una tarea cuentan. Las pistas y «Muéstramelo» están disponibles.
   *[other] { $minutes } minutos; para aprobar, { $pass } % de los puntos. Las partes de una tarea cuentan. Las pistas y «Muéstramelo» están disponibles.
}
begin-exam = Empezar el examen
end-exam = Terminar el examen
left = { $minutes ->
    [one] Queda 1 minuto.
   *[other] Quedan { $minutes } minutos.
}
left-short = { $minutes ->
    [one] queda 1 minuto
   *[other] quedan { $minutes } minutos
}

end-exam-now = ¿Terminar el examen ahora?
all-answered = Todas las tareas están respondidas.
not-answered = { $count ->
    [one] La tarea { $tasks } no está respondida.
   *[other] { $count } tareas no están respondidas: { $tasks }.
}
left-before-end = { $minutes ->
    [one] Queda 1 minuto. Después no se puede cambiar nada.
   *[other] Quedan { $minutes } minutos. Después no se puede cambiar nada.
}
go-on = Seguir con el examen
end-it = Terminarlo

passed = Aprobado: { $percent } % de los puntos; se pide el { $pass } %.
not-passed = No aprobado: { $percent } % de los puntos; se pide el { $pass } %.
about-replay = Cada repetición muestra tu ejecución con todas las respuestas y sus razones.
begin-again = Empezar otra vez
