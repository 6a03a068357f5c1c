title = Más

time = Tiempo
next-event = Evento siguiente
next-decision = Decisión siguiente
back-to-mark = Volver a la marca anterior
back-to-start = Volver al principio
branch = Rama: conservar este futuro y seguir desde aquí

page = Página
find = Buscar Pods y nodos
legend = Leyenda: qué significan las marcas
console = Consola
editor = Editor
files = Ficheros
consolidate = ¿Qué nodos sobran?
search = Buscar una ejecución que rompa una garantía
triage = Qué va mal
notices = Avisos sobre lo abierto ({ $count })
guarantees = Garantías
worksheet = Hoja de ejercicios: esta lección en papel
class = Clase: ejecuciones entregadas
present = Presentar ante un público
theme = { $theme ->
    [light] Tema: claro
    [dark] Tema: oscuro
   *[other] Tema: del sistema
}
help = Ayuda y atajos
