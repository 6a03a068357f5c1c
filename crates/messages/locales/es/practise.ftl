practise = Practicar
the-next-task = La tarea siguiente
nothing-is-due = Hoy no toca nada.
due-topics = { $count ->
    [one] Toca 1 tema.
   *[other] Tocan { $count } temas.
}
give-task = Dame una tarea
about-schedule = Cada tarea es un clúster nuevo, y la simulación hace de solucionario. Un tema vuelve al cabo de un día, después de 6 días, y cada vez más tarde; tras un fallo empieza de nuevo (la regla SM-2). Los temas se alternan. Se guarda solo en este dispositivo.
loading = Las tareas vienen con el resto del motor, que se está cargando…

level = nivel { $level } · { $due }
due-new = nuevo
due-today = toca hoy
due-tomorrow = mañana
due-in = { $days ->
    [one] dentro de { $days } día
   *[other] dentro de { $days } días
}

end-of-task = Fin de la tarea
rule = La regla
reasons = Cada respuesta, y por qué
next-task = Tarea siguiente ›
another = Otra de este tipo
harder = Una más difícil
all-topics = Todos los temas
