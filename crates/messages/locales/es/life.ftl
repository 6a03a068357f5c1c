containers = Contenedores
ready = listo
not-ready = no listo
restarts = { $count ->
    [one] { $count } reinicio
   *[other] { $count } reinicios
}
api = API
machine = máquina
rule = regla
no-process = ningún proceso
init = init
sidecar = sidecar

conditions = Condiciones
owned-by = Propietario
volumes = Volúmenes
termination = Terminación
stage-from-to = { $stage } de { $from } a { $to }
stage-until-now = { $stage } desde { $from } hasta ahora
