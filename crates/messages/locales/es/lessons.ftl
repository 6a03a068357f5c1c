title = Lecciones y escenarios
loading = Las lecciones vienen con el motor, que todavía se está cargando…

course = El curso
done-of = { $done } de { $count } hechas
lessons-done = Lecciones hechas
begin-with = Empezar: { $title }
continue-with = Continuar: { $title }
on-this-device = Se guarda solo en este dispositivo.
save = Guardar como fichero
forget = Olvidarlo
load = Cargar un fichero
cannot-save = No se ha podido guardar { $file }
none-loaded = En ese fichero no hay ninguna lección acabada
loaded = { $count ->
    [one] Se ha cargado 1 lección acabada
   *[other] Se han cargado { $count } lecciones acabadas
}

free-play = Juego libre
about-free-play = Un pequeño clúster vivo, sin guion que seguir
practise = Practicar
about-practise = Tareas sin fin, cada una en un clúster nuevo
exam = Examen
about-exam = Dieciséis tareas, 90 minutos
your-own = Algo propio
about-your-own = Escribe o pega manifiestos y escenarios
terms = Términos
about-terms = Qué significan las palabras de las lecciones
a-file = Un fichero
about-a-file = Un escenario, o un volcado de un clúster real

find = Buscar una lección
find-hint = Enter abre la primera
what-do-you-see = ¿Qué ves?
no-matches = Ninguna lección con estas palabras.
matches = { $count ->
    [one] 1 lección
   *[other] { $count } lecciones
}

group-done = { $group } · { $done } de { $count }
minutes = { $minutes } min
minutes-after = { $minutes } min · después de { $lessons }
