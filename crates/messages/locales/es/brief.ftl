story = Historia
close = Cerrar la historia
start-course = Empezar el curso
