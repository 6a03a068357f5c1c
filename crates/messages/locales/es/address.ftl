unfinished = La última sesión no terminó de abrirse, así que no se vuelve a intentar por sí sola. Está guardada en Ficheros › Sesiones.
