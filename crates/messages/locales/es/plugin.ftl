other-refused = por otro motivo

balanced-allocation-about = uso más equilibrado de cpu y memoria

default-binder-about = vincula el Pod a su nodo

default-preemption-about = sitio que se hace terminando Pods menos importantes

dynamic-resources-about = solicitudes de dispositivos
dynamic-resources-refused = sin los dispositivos que piden sus solicitudes
dynamic-resources-no-free-devices = sin dispositivos libres
dynamic-resources-claim-is-elsewhere = solicitud en otra parte

image-locality-about = imágenes que ya están en el nodo

inter-pod-affinity-about = cerca o lejos de otros Pods
inter-pod-affinity-refused = contra las reglas de afinidad entre Pods
inter-pod-affinity-pod-affinity = afinidad de Pods
inter-pod-affinity-pod-anti-affinity = antiafinidad de Pods
inter-pod-affinity-another-pod-s-anti-affinity = antiafinidad de otro Pod

node-affinity-about = nodeSelector y afinidad de nodo
node-affinity-refused = fuera de su selector de nodos o de su afinidad
node-affinity-node-affinity-selector = afinidad/selector de nodo
node-affinity-the-scheduler-s-node-affinity = afinidad de nodo del planificador

node-declared-features-about = funciones de kubelets más nuevos
node-declared-features-refused = sin una función de kubelets más nuevos que necesita

node-name-about = un nodo pedido por su nombre
node-name-another-node-is-named = se nombra otro nodo

node-ports-about = puertos del nodo
node-ports-refused = con su puerto ya en uso
node-ports-port-in-use = puerto en uso

node-resources-fit-about = sitio para las solicitudes del Pod
node-resources-fit-refused = sin sitio para sus solicitudes

node-unschedulable-about = nodos acordonados
node-unschedulable-refused = con cordón
node-unschedulable-unschedulable = no planificable

node-volume-limits-about = cuántos volúmenes puede conectar un nodo
node-volume-limits-too-many-volumes = demasiados volúmenes

pod-topology-spread-about = Pods repartidos por dominios
pod-topology-spread-refused = contra sus restricciones de distribución
pod-topology-spread-topology-spread = distribución por topología
pod-topology-spread-no-label-to-spread-by = sin etiqueta para repartir

priority-sort-about = primero la prioridad más alta

scheduling-gates-about = un Pod con puertas espera

taint-toleration-about = contaminaciones y tolerancias
taint-toleration-refused = con una contaminación que no tolera
taint-toleration-untolerated-taint = contaminación no tolerada

volume-binding-about = volúmenes que el nodo puede alcanzar
volume-binding-its-volume-is-elsewhere = su volumen está en otra parte
volume-binding-no-volume-to-bind = sin volumen que vincular
volume-binding-no-free-storage = sin almacenamiento libre
volume-binding-its-volume-is-lost = su volumen se ha perdido
volume-binding-unbound-claims = solicitudes sin vincular

volume-restrictions-about = volúmenes que solo puede usar un Pod
volume-restrictions-disk-in-use = disco en uso
volume-restrictions-claim-in-use = solicitud en uso

volume-zone-about = volúmenes y nodos de una misma zona
volume-zone-its-volume-s-zone-is-elsewhere = la zona de su volumen es otra

volumes-cannot-serve = sin poder ofrecerle sus volúmenes
