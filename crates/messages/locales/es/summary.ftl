namespace-and-priority = { $namespace } · prioridad { $priority }
gone = ya no existe
ghost = fantasma en { $node }
zone = zona { $zone }
no-node = sin objeto Node
invariant = invariante
failed-requests = peticiones fallidas

terminating = Está terminando: { $cause }.
terminating-unconfirmed = Está terminando: { $cause }. No se puede llegar a su nodo, así que nadie puede confirmar que sus procesos hayan terminado.
unbound = Aún no está vinculado a un nodo.
last-heard = La API dice { $status }, pero no se puede llegar a { $node }: es lo último que se supo.
bound = { $containers ->
    [one] { $status } en { $node }, { $ready }/{ $containers } contenedor listo.
   *[other] { $status } en { $node }, { $ready }/{ $containers } contenedores listos.
}
gone-pod = { $pod } ha desaparecido: la API no tiene ese Pod, y no se ejecuta ninguno de sus procesos.
ghost-pod = { $pod } sigue ejecutándose en { $node }, pero la API lo ha olvidado. Su kubelet lo terminará cuando se entere de la eliminación.

agrees = { $status }. La API y la máquina coinciden.
machine-alone = Hay una máquina { $node }, pero la API no tiene ningún Node para ella.
gone-node = { $node } ha desaparecido.
gone-object = La API no tiene { $kind } { $key }.
holds = { $invariant } se cumple.
requests-failed = { $sentence }.
no-request-failed = Aún no ha fallado ninguna petición.

deleted-by-request = se pidió su eliminación
preempted = lo ha expropiado un Pod de mayor prioridad
tainted = su nodo tiene una contaminación NoExecute que no tolera
evicted = lo ha desalojado un drenado u otra interrupción voluntaria
node-gone = su nodo ya no existe: lo ha eliminado el recolector de Pods
node-pressure = lo ha desalojado su kubelet: el nodo está bajo presión

unknown-to-api = desconocido para la API
no-status = aún sin estado
waiting = en espera
waiting-because = en espera: { $reason }
running = en ejecución
ended = terminado: { $reason }, código de salida { $code }
runs-since = se ejecuta desde { $since }
runs-since-with-signals = se ejecuta desde { $since }, ha recibido { $signals }

claim = solicitud { $name }
scratch = espacio temporal que dura lo que el Pod
scratch-with-data = espacio temporal que dura lo que el Pod: { $written }
written = { $size } de { $container } desde { $since }
nfs = NFS: no impide que escriba un segundo
host-path = un directorio del nodo
volume = volumen
attached = conectado
