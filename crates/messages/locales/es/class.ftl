class = Clase
about = Suelta aquí los ficheros entregados. Cada ejecución se reproduce aquí y se comprueba lo que afirma su fichero; nada sale de este navegador.
choose-files = Elegir ficheros
save = Guardar como CSV
forget = Olvidarlos
awaited = { $count ->
    [one] Reproduciendo 1 fichero…
   *[other] Reproduciendo { $count } ficheros…
}
frequent-wrong-answers = Respuestas erróneas más frecuentes
wrong-answer = { $count } de { $all } respondieron { $wrong }; la respuesta es { $right }.

runs = Ejecuciones
student = Estudiante
lesson = Lección
finished = Acabada
goals = Objetivos
answers = Respuestas
hints = Pistas
shown = Mostrada
minutes = Minutos
check = Comprobación
run = Ejecución
open = Abrir
open-run = Abrir la ejecución de { $student }: { $title }
yes = sí
no = no
replayed = reproducida
