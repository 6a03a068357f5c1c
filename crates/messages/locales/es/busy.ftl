title = El motor está ocupado
explanation = Lleva cinco segundos sin responder. Puedes seguir esperando o detenerlo: entonces la sesión continúa tal como se guardó por última vez, sin lo que lo mantiene ocupado.
loading-title = El motor aún se está cargando
loading = Una parte que ahora hace falta llega despacio. Puedes seguir esperando o detenerlo: entonces la sesión continúa tal como se guardó por última vez, sin lo que necesita esa parte.
wait = Esperar
stop = Detenerlo
