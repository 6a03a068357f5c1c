cut-off = Aislar
lose-inbound = Perder lo que se le envía
heal-links = Reparar sus enlaces
uncordon = Retirar cordón
cordon = Acordonar
drain = Drenar
crash-kubelet = Hacer caer el kubelet
restart-kubelet = Reiniciar el kubelet
crash-runtime = Hacer caer el runtime
restart-runtime = Reiniciar el runtime
power-off = Apagar
boot = Encender
back-in-service = Devolver al servicio
out-of-service = Declarar fuera de servicio
delete-node = Eliminar el objeto Node

heal-zone = Reparar la zona
cut-zone = Aislar la zona

heal-node-links = Reparar los enlaces del nodo
power-machine-off = Apagar la máquina
delete-pod = Eliminar
force-delete-pod = Forzar eliminación
break-sandbox = Romper su sandbox

scale-up = Una réplica más
scale-down = Una réplica menos
restart-rollout = Reiniciar
delete-object = Eliminar

stop-etcd = Detener etcd
start-etcd = Arrancar etcd
crash-component = Hacerlo caer
restart-component = Reiniciarlo
start-second = Arrancar un segundo

heal-all = Repararlo todo
heal-zone-named = Reparar la zona { $zone }
cut-zone-named = Aislar la zona { $zone }
cut-off-named = Aislar { $node }
heal-named = Reparar { $node }
power-off-named = Apagar { $node }
boot-named = Encender { $node }
force-delete-named = Forzar la eliminación de { $pod }
delete-named = Eliminar { $pod }
cordon-named = Acordonar { $node }
uncordon-named = Retirar el cordón de { $node }
drain-named = Drenar { $node }

node-is-cut-off = { $node } está aislado: sus Pods siguen ejecutándose allí, y nadie tiene noticias de ellos.
node-is-off = { $node } está apagado: allí no se ejecuta nada.

detach-warning = El volumen se desconecta aunque su nodo todavía pueda escribir en él. Sin un fencing previo, dos escritores pueden coincidir en un mismo volumen.
force-delete-warning = La eliminación inmediata no espera a que se confirme que el recurso en ejecución ha terminado. El recurso puede seguir ejecutándose en el clúster indefinidamente. En un StatefulSet eso significa que dos miembros con el mismo nombre pueden ejecutarse a la vez.
delete-node-warning = Eliminar el objeto Node le dice a Kubernetes que la máquina se ha ido para siempre: el recolector de Pods (PodGC) elimina entonces sus Pods por la fuerza. Si la máquina sigue en marcha, ellos también.
delete-namespace-warning = Eliminar un espacio de nombres elimina todo lo que contiene. No se puede anular, y espera a los Pods de los nodos aislados.
force-drain-warning = También se eliminan los Pods sin controlador; nada los devuelve.
out-of-service-warning = Fuera de servicio significa: sé que esta máquina está apagada. Sus Pods se eliminan por la fuerza y sus volúmenes se desconectan en el acto. Si sigue en marcha, dos escritores pueden coincidir en un mismo volumen.

cannot-move-ghost = { $pod } es un proceso que la API ha olvidado: nada puede pedirle que vaya a { $node }.
cannot-move-pending = Dónde se ejecuta { $pod } lo decide el planificador. Para que elija { $node }, cambia aquello en lo que se fija: etiquetas, contaminaciones, solicitudes.
cannot-move-bound = Un Pod nunca se traslada: { $pod } se vinculó una vez a { $from } y se queda allí hasta que termina. No hay migración en vivo. Elimínalo, y su controlador creará un Pod nuevo que el planificador podrá colocar en { $node }.
