new-version = Hay una versión nueva lista.
reload = Recargar para usarla
starting = Arrancando el clúster… Lo que pulses lo espera.
close = Cerrar
