end = Fin
end-of-lesson = Fin de la lección
all-reached = Todos los objetivos alcanzados
predictions = Predicciones: { $right } de { $count } acertadas.
own-cluster = En un clúster tuyo:
try-also = Prueba también:
read-on = Sigue leyendo:
next-lesson = Lección siguiente: { $title } ›
course = El curso

end-of-task = Fin de la tarea
noted = Tu trabajo en esta tarea está anotado
shown-later = Qué es lo correcto, y por qué, se muestra después del examen.
next-task = Tarea siguiente ›
next-item = Siguiente: { $title } ›
to-exam = Ir al examen
to-course = Ir al curso
