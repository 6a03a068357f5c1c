title = El motor está ocupado
explanation = Lleva cinco segundos sin responder. Puedes seguir esperando o detenerlo: entonces la sesión continúa tal como se guardó por última vez, sin lo que lo mantiene ocupado.
wait = Esperar
stop = Detenerlo
