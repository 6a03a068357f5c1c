name = Clúster. Las flechas van de un nodo o Pod a otro, Enter selecciona.
keys-hint = Flechas: nodos y Pods · Enter: detalles · Del: eliminar
all-zones = Todas las zonas
zone = zona
machines-without-node = Máquinas sin objeto Node
no-node-object = sin objeto Node
