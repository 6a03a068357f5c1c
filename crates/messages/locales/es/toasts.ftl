new-version = Hay una versión nueva lista.
reload = Recargar para usarla
starting = Arrancando el clúster… Lo que pulses se hará cuando esté listo.
close = Cerrar
