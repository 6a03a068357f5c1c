student = ESTUDIANTE
lesson = LECCIÓN
finished = ACABADA
goals = OBJETIVOS
answers = RESPUESTAS
hints = PISTAS
shown = MOSTRADA
minutes = MINUTOS
check = COMPROBACIÓN

yes = sí
no = no
replayed = reproducida

passed = { $student }: { $percent } %, aprobado{ $missing ->
    [0] { "" }
    [one] , 1 tarea sin ejecución
   *[other] , { $missing } tareas sin ejecución
}
not-passed = { $student }: { $percent } %, no aprobado{ $missing ->
    [0] { "" }
    [one] , 1 tarea sin ejecución
   *[other] , { $missing } tareas sin ejecución
}
mistake = { $count ->
    [one] { $count } de { $of } respondió { $wrong }; la ejecución dice { $right }
   *[other] { $count } de { $of } respondieron { $wrong }; la ejecución dice { $right }
}
