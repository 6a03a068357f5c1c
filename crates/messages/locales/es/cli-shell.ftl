welcome = Mientras se ve el prompt, el tiempo está parado: `wait 30s` y `until 2m` lo hacen avanzar. `help` dice qué comandos hay; Ctrl-D termina.
