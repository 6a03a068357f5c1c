control-plane = Plano de control
control-plane-other-run = Plano de control, otra ejecución
api-server = Servidor API
api-short = API
scheduler-short = sched
controllers-short = control
attacher-short = attach
fencing-short = fencing
action-on = { $component }: { $action }

leader = (líder)
standby = (en reserva)
down = (caído)
unreachable = (inalcanzable)

broken = { $guarantee }: rota
was-broken = { $guarantee }: estuvo rota
since = en { $instant }
since-for = en { $instant } durante { $duration }
guarantees-broken = { $count ->
    [one] garantía rota
   *[other] garantías rotas
}
guarantees-were-broken = { $count ->
    [one] garantía estuvo rota
   *[other] garantías estuvieron rotas
}
heal-everything = Repararlo todo
heal-everything-hint = { $count ->
    [one] Quita todos los cortes de { $count } nodo
   *[other] Quita todos los cortes de { $count } nodos
}

what-is-drawn = Qué se dibuja
whose-picture = Punto de vista
api = API
api-hint = Solo lo que cree el servidor API
both = ambos
both-hint = Lo que cree el servidor API, y dónde difieren las máquinas
machine = máquina
machine-hint = Solo lo que se ejecuta de verdad
group-by = Agrupar nodos por
group-by-label = Agrupar nodos por etiqueta
zone = zona
zone-by-topology = zona (topology…)
zone-by-label = zona (etiqueta)
key-of-constraint = { $key } (su restricción)
