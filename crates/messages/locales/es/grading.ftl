link-unreadable = el enlace no se puede leer: { $error }
run-of-namesake = se entregó como «{ $claimed }», y la ejecución es de otro escenario con ese nombre
run-of-another = se entregó como «{ $claimed }», y la ejecución es de «{ $title }»
not-finished = afirma que la lección está acabada, y la ejecución no la acaba
no-hand-in = no contiene ni una entrega (JSON) ni un enlace ({ $prefix }…)
too-many-runs = { $count ->
    [one] { $count } ejecución: se corrigen como máximo { $limit }
   *[other] { $count } ejecuciones: se corrigen como máximo { $limit }
}
problem = { $place }: { $message }
