takes-it = { $group }: un nodo más lo acepta
would-take-it = { $group }: { $reasons }; un nodo más lo aceptaría
does-not-help = { $group }: { $reasons }
event = evento: { $message }
fits-on = cabe en { $nodes }: no hace falta que crezca ningún grupo
fits-on-more = cabe en { $nodes } y { $more ->
   *[other] { $more } más
 }: no hace falta que crezca ningún grupo

none-helps = No ayuda ningún grupo de nodos; el cluster autoscaler diría: { $message }
one-helps = Un nodo más del grupo de nodos { $group }
several-help = Un nodo más de un grupo de nodos: { $groups }
