stopped = Se ha detenido el motor. Esta es la sesión tal como se guardó por última vez.
