group-identity = Identidad
group-life = Vida
group-termination = Terminación
group-storage = Almacenamiento
group-scheduling = Planificación
group-requests = Peticiones
group-in-the-end = Al final

at-most-one = De cada miembro de un StatefulSet hay como máximo uno con procesos vivos, esté donde esté.
at-most-one-keeper = El controlador de StatefulSet espera a que desaparezca el objeto antiguo; solo el kubelet lo deja desaparecer.
at-most-one-breaker = Una eliminación forzada, una contaminación out-of-service falsa, o eliminar el Node de una máquina que sigue en marcha.

safe-stall = Mientras dura una partición, un miembro puede faltar o estar parado, pero nunca está duplicado.
safe-stall-keeper = El controlador de StatefulSet, al no hacer nada.
safe-stall-breaker = Lo que rompe at-most-one.

attach-cas = La conexión de un volumen solo cambia a partir del estado que se observó, y un Pod solo se ejecuta donde está conectado su volumen.
attach-cas-keeper = El controlador de conexión y el kubelet.
attach-cas-breaker = Un fencing que la rompe a propósito.

daemon-one = Un DaemonSet tiene como máximo un Pod activo en cada nodo, sin contar los de maxSurge.
daemon-one-keeper = El controlador de DaemonSet.
daemon-one-breaker = Carreras entre dos controller-managers; los duplicados se eliminan.

detach-live = Un volumen que nadie necesita acaba por desconectarse.
detach-live-keeper = El controlador de conexión: una vez desmontado, pasado su tiempo de espera, o tras el fencing.
detach-live-breaker = Desactivar el tiempo de espera.

evict-throttle = Los nodos reciben la contaminación NoExecute a un ritmo no mayor que el que permite su zona, y nunca cuando están incomunicadas todas las zonas.
evict-throttle-keeper = El controlador del ciclo de vida de los nodos.
evict-throttle-breaker = Quien pone contaminaciones a mano.

fence-before-break = Antes de quitarle un volumen a un nodo por la fuerza, se confirma el fencing de ese nodo.
fence-before-break-keeper = El controlador de fencing.
fence-before-break-breaker = Un error de quien opera el clúster.

force-authority = Solo el kubelet, el recolector de Pods perdidos y las personas eliminan con un período de gracia de 0.
force-authority-keeper = Todos los controladores, al limitarse a pedir.
force-authority-breaker = Las personas.

forward-only = Las fases solo avanzan, salvo que unos contenedores de inicialización se ejecuten otra vez en un sandbox nuevo, y una eliminación no se retira nunca.
forward-only-keeper = El servidor API y el kubelet.
forward-only-breaker = Un Node eliminado cuyo kubelet aún informa de cómo terminaron sus Pods.

grace-monotone = Un período de gracia se puede acortar, nunca alargar.
grace-monotone-keeper = El servidor API.
grace-monotone-breaker = Una caída del kubelet hace que la cuenta empiece de nuevo, con el mismo valor.

grace-honoured = Entre SIGTERM y SIGKILL un proceso tiene su período de gracia, menos lo que dure preStop, pero al menos dos segundos.
grace-honoured-keeper = El kubelet.
grace-honoured-breaker = Una segunda eliminación con un período más corto, una eliminación forzada, un desalojo, un nodo perdido; un kubelet que vuelve y rechaza el Pod.

nominee-resolved = Un Pod nominado acaba planificado, superado por otro de mayor prioridad o eliminado.
nominee-resolved-keeper = El planificador.
nominee-resolved-breaker = Una partición que nadie repara.

no-orphans = Cuando se repara una partición, terminan los procesos que la API ha olvidado.
no-orphans-keeper = El kubelet: detiene lo que la API no enumera.
no-orphans-breaker = Un kubelet o un runtime caído.

namespace-gone = Un espacio de nombres que se está eliminando acaba por desaparecer.
namespace-gone-keeper = El controlador de espacios de nombres.
namespace-gone-breaker = Finalizadores ajenos; una partición, mientras dure.

ready-restored = Cuando se repara un nodo, sus contaminaciones desaparecen y sus Pods vuelven a estar listos.
ready-restored-keeper = El controlador del ciclo de vida de los nodos y el kubelet.
ready-restored-breaker = Nada.

converge = Las réplicas coinciden con su spec cuando el mundo está en calma.
converge-keeper = Todos los controladores.
converge-breaker = Una cuota, la falta de sitio, un miembro aislado.

pending-placed = Un Pod que cabe en alguna parte no se queda pendiente.
pending-placed-keeper = El planificador y su cola.
pending-placed-breaker = Puertas de planificación; un planificador caído.

no-early-removal = El kubelet solo quita el objeto de un Pod cuando no queda ninguno de sus procesos.
no-early-removal-keeper = El kubelet.
no-early-removal-breaker = Nada.

no-overcommit = Lo que solicitan los Pods cabe en el nodo cuando se vinculan.
no-overcommit-keeper = El planificador.
no-overcommit-breaker = Una caché anticuada, una vinculación directa, los Pods estáticos, un nodo que encoge.

no-request-to-ended = Mientras todos los enlaces están intactos, no se envía ninguna petición a un endpoint más de 5 s después de que el nodo del cliente se haya enterado de su final.
no-request-to-ended-keeper = kube-proxy: escribe sus reglas como máximo un segundo después de enterarse de un cambio.
no-request-to-ended-breaker = Un kube-proxy que se entera y no hace nada.

one-node = Un Pod se ejecuta en el nodo al que se vinculó y en ningún otro; nodeName no cambia nunca.
one-node-keeper = El servidor API rechaza una segunda vinculación.
one-node-breaker = Nada.

pdb-ledger = Los desalojos nunca gastan más de lo que permite un presupuesto.
pdb-ledger-keeper = El subrecurso eviction, contra una sola versión del estado del presupuesto.
pdb-ledger-breaker = Todo lo que no es un desalojo: eliminaciones, expropiación, pérdida de nodos.

preempt-lower = Solo los Pods de menor prioridad pierden su sitio, y solo por uno que lo espera.
preempt-lower-keeper = El planificador.
preempt-lower-breaker = Nada.

roll-bound = Un despliegue se mantiene dentro de maxSurge y maxUnavailable.
roll-bound-keeper = El controlador de Deployment.
roll-bound-breaker = Los Pods que están terminando no se cuentan: siguen ocupando sitio.

single-writer = En un volumen ReadWriteOnce solo se puede escribir desde un nodo cada vez; en uno ReadWriteOncePod, desde un solo Pod.
single-writer-keeper = El controlador de conexión, y los backends que rechazan una segunda conexión.
single-writer-breaker = Una desconexión forzada sin fencing; backends que no rechazan nada (NFS).

skew-at-bind = Una restricción DoNotSchedule se cumple en el momento de la vinculación.
skew-at-bind-keeper = El planificador.
skew-at-bind-breaker = Lo que ocurre después: eliminaciones, otras etiquetas.

slot-unique = Un StatefulSet nunca crea un miembro mientras existe un objeto con ese nombre.
slot-unique-keeper = El servidor API: un nombre está ocupado hasta que desaparece el objeto.
slot-unique-breaker = Nada.
