new-problems = Problemas nuevos
problems-gone = Problemas desaparecidos
changed = Cambiados
added = Añadidos
removed = Quitados

nothing-differs = No hay ninguna diferencia.
problem = { $problem } { $object }: { $reason }
moved = { $pod }: { $from } -> { $to }
fields = { $object }: { $fields }
fields-more = { $object }: { $fields } y { $more ->
   *[other] { $more } más
 }
