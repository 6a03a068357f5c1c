refused = Esto no se puede abrir
nothing-changed = En la sesión en marcha no ha cambiado nada.
open-another = Abrir otro fichero
to-editor = Ir al editor
go-on = Seguir con la sesión

terms = Términos

confirm = ¿Seguro?
leave-it = Dejarlo como está
do-it = Entendido, hazlo

only-this-zone = Ver solo esta
what-if-it-goes = ¿Y si desaparece?

no-marks = Todavía nada.
from-to = de { $from } a { $to }
from-until-now = desde { $from } hasta ahora
earlier = { $count ->
    [one] y { $count } anterior
   *[other] y { $count } anteriores
}

help = Ayuda y atajos
help-hint = Cada Pod es un cuadrado: su color dice a quién pertenece, su forma cómo está. Selecciona uno y pregunta por qué está ahí. Rompe algo, y observa lo que cree el servidor API y lo que hacen las máquinas.
shortcuts = Atajos
single-keys = Atajos de una sola tecla
browsers = Nada sale de este navegador. Podscope funciona en Chrome y Edge 123, Firefox 120, Safari 17.5 y posteriores.
licences = Licencias
guarantees = Garantías

notices = Avisos sobre lo abierto
read-and-kept = Leído y conservado
advice = Consejos

engine-stopped = El motor se ha detenido
engine-stopped-hint = Es un error de Podscope, no tuyo. La sesión se guardó hace un momento.
rest-not-loaded-hint = No se pudo cargar una parte que el último comando necesita. La sesión se guardó antes; al continuar se intenta de nuevo.
start-empty = Empezar con una sesión vacía
go-on-saved = Seguir con la sesión guardada

sessions = Sesiones que guarda este navegador
name-of-this = Nombre de la sesión de esta pestaña
name-of = Nombre de { $name }
name-hint = Llámala como quieras
this-tab = la de esta pestaña
open = Abrir
open-session = Abrir { $name }
save-link = Guardar el enlace de { $name }
save-link-hint = Guardar su enlace como fichero
forget-this = Olvidar este clúster
forget-this-hint = No queda nada de él en este navegador
forget = Olvidar { $name }
forget-hint = Olvidarla

files = Ficheros
open-files = Abrir
open-files-hint = Escenarios, manifiestos o lo que haya mostrado `kubectl get … -A -o yaml`. También puedes soltar ficheros en cualquier parte.
compare = Comparar, con la misma semilla
second-scenario = Un segundo escenario que se ejecuta junto a este
two-ways = Dos maneras
without-commands = Este, sin sus comandos

save = Guardar
save-session = Sesión
save-session-how = como fichero de escenario
save-lesson = Lección
save-lesson-how = lo que has hecho, en pasos para completar
record = Grabar una lección
record-how = y pulsar los campos que serán sus objetivos
save-objects = Objetos
save-objects-how = como YAML
save-trace = Traza
save-trace-how = como JSON Lines
save-drawing = Dibujo
save-drawing-how = como SVG
save-picture = Imagen
save-picture-how = como PNG
