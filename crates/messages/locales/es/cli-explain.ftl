why = Motivo: { $why }.
scheduler-says = kube-scheduler dice: { $message }
scheduler-said = kube-scheduler dijo en el clúster: { $message }

nodes = Nodos
fits = apto
refused = descartado

devices = Dispositivos
device-error = error: { $error }
incomplete-pool = el pool { $pool } está incompleto
invalid-pool = el pool { $pool } no es válido

scores = Puntuaciones (ponderadas)
node = nodo
total = total

spread = Distribución por { $key } ({ $kind }, maxSkew { $skew }, el más vacío tiene { $fewest })
spread-too-few = { $least ->
    [one] Distribución por { $key } ({ $kind }, maxSkew { $skew }, el más vacío tiene { $fewest } y cuenta como 0: hay { $found } de { $least } dominio)
   *[other] Distribución por { $key } ({ $kind }, maxSkew { $skew }, el más vacío tiene { $fewest } y cuenta como 0: hay { $found } de { $least } dominios)
}
skew = desequilibrio { $skew } con este Pod
not-scored = sin puntuar: ningún nodo de ahí puede aceptar el Pod
within-limit = dentro del límite
too-many = demasiados
above-limit = por encima del límite, solo baja la puntuación

preemption = Expropiación: { $what }
candidate = { $node }: víctimas: { $victims }; pueden quedarse: { $reprieved }; PodDisruptionBudgets incumplidos: { $violations }
victim = { $pod } (prioridad { $priority }{ $budgets })
budget = , el presupuesto { $name } permite { $allowed }
no-pods = ningún Pod

groups = Grupos de nodos (un modelo del cluster autoscaler)
ended = Contenedores que terminaron
