api-says = API: { $status }
api-no-such-pod = API: no existe
api-nobody-knows = API: nadie lo sabe
api-running-unsure = API: ¿Running?
api-deleting = API: eliminando

runs = se ejecuta
still-runs = aún se ejecuta
runs-unheard = se ejecuta, sin noticias
runs-not-told = se ejecuta, aún sin aviso
runs-cannot-be-told = se ejecuta, incomunicado
has-ended = ha terminado
has-ended-unheard = ha terminado, sin noticias
no-power = sin corriente: no se ejecuta nada
nothing-runs = no se ejecuta nada
prestop-hook = hook preStop
waits-for-turn = espera su turno
got-sigterm = recibió SIGTERM
got-sigkill = recibió SIGKILL

not-reported = aún no comunicado
sigterm-in = SIGTERM en { $time }
sigkill-in = SIGKILL en { $time }

not-ready = no listo
nobody-knows = nadie lo sabe
next-start-in = arranca en { $time }

both = { $api }; en la máquina: { $process }
both-and-next = { $api }; en la máquina: { $process }, { $next }
