pending = pendiente
starting = arrancando, { $status }
running-ready = en ejecución y listo
running-not-ready = en ejecución, no listo
terminating = terminando
terminating-unobserved = terminando; el kubelet aún no lo sabe
terminating-unreachable = terminando; el kubelet aún no lo sabe ni puede enterarse: nadie sabe cuándo terminará
terminating-prestop = terminando, se ejecuta su hook preStop; SIGTERM cuando acabe el hook preStop, o cuando pase el período de gracia
terminating-turn = terminando, espera su turno: se detiene cuando hayan terminado otros contenedores
terminating-sigterm = terminando, se envió SIGTERM; SIGKILL cuando pase el período de gracia, salvo que salga antes
terminating-killed = terminando, se envió SIGKILL; el proceso termina, y después el kubelet quita el Pod
crashing = se cae, espera antes del próximo arranque
succeeded = terminado con éxito
failed = fallido, { $status }
ghost = un proceso que la API ha olvidado
unconfirmed = en ejecución, que la API sepa; nadie puede confirmarlo

name = Pod { $pod }, { $state }
of-owner = de { $owner }
priority = prioridad { $priority }

differs = distinto en la otra ejecución
