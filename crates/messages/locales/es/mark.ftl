partition = { $name } queda aislado
slow = los enlaces de { $name } van lentos
leave = { $name } desaparece para siempre
shutdown = { $name } se apaga
power-off = { $name } se queda sin corriente
crash-kubelet = { $name }: cae su kubelet
crash-runtime = { $name }: cae su runtime de contenedores
crash = { $component } se cae
second = un segundo { $component } se cree líder
etcd-down = etcd está caído
exit = { $name }: sale uno de sus procesos
sandbox = { $name } pierde su sandbox
detach = se le quita { $name } a su nodo
device = { $name }: cambia uno de sus dispositivos
crash-driver = { $name }: caen sus drivers de dispositivos

power-on = { $name } se enciende
not-slow = { $name } ya no va lento
etcd-up = etcd vuelve a estar en marcha
component-starts = { $component } arranca
second-gone = el segundo { $component } ha desaparecido
kubelet-starts = { $name }: arranca su kubelet
runtime-starts = { $name }: arranca su runtime
device-back = { $name }: vuelve uno de sus dispositivos
driver-starts = { $name }: arrancan sus drivers de dispositivos
healed = reparado: { $name }

cut = { $lost ->
    [incoming] partition { $node }, lo que se le envía
    [outgoing] partition { $node }, lo que envía
   *[both] partition { $node }
}
cut-from = { $lost ->
    [incoming] partition { $node }, enlace con { $from }: lo que se le envía
    [outgoing] partition { $node }, enlace con { $from }: lo que envía
   *[both] partition { $node }, enlace con { $from }
}

joined = { $node } se une al clúster
cordoned = { $node } acordonado
uncordoned = { $node } ya sin cordón
fenced = fencing de { $node }
unfenced = fin del fencing de { $node }
corrupted = { $volume } corrompido
tainted = { $node } contaminado con { $taint }
untainted = { $node } ya sin la contaminación { $key }

evicted-by-taint = { $pod } desalojado: una contaminación de su nodo
evicted-by-pressure = { $pod } desalojado por su kubelet: presión en su nodo
ended-by-shutdown = { $pod } terminado por su kubelet: el nodo se apaga
evicted-by-api = { $pod } desalojado a través de la API de desalojo
removed-by-garbage-collector = { $pod } eliminado por el recolector de Pods: su nodo ya no existe o está fuera de servicio
out-of-memory = { $pod }/{ $container } se quedó sin memoria
exited = { $pod }/{ $container } salió con código { $code }
restarted = { $pod }/{ $container } vuelve a ejecutarse
no-node = { $pod }: sin nodo
nominated = { $pod } nominado para { $node }
preempted = { $pod } expropiado

given-more = { $more ->
   *[other] { $command }: { $objects } y { $more } más
}
requests-failing = { $service } { $per-second }/s · fallan { $failing }/s
