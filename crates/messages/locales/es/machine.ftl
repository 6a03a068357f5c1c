fenced-by-storage = Fencing por el almacenamiento.
fenced-by-network = Fencing por la red.

control-plane = el plano de control
storage = el almacenamiento
other-nodes = los demás nodos

no-machine = { $node }: hay un objeto Node, pero ninguna máquina.
no-power = { $node } está sin corriente: aquí no se ejecuta nada.
no-power-with-pods = { $listed ->
    [one] { $node } está sin corriente: aquí no se ejecuta nada. El servidor API todavía tiene en su lista un Pod de este nodo.
   *[other] { $node } está sin corriente: aquí no se ejecuta nada. El servidor API todavía tiene en su lista { $listed } Pods de este nodo.
}
kubelet-down-for = { $node }: su kubelet no se ejecuta, sin latidos desde hace { $time }. El servidor API no puede saber si sus Pods siguen ejecutándose.
kubelet-down-yet = { $node }: su kubelet no se ejecuta, aún sin latidos. El servidor API no puede saber si sus Pods siguen ejecutándose.
cut-off-for = { $node }: aislado, sin latidos desde hace { $time }. El servidor API no puede saber si sus Pods siguen ejecutándose.
cut-off-yet = { $node }: aislado, aún sin latidos. El servidor API no puede saber si sus Pods siguen ejecutándose.
kubelet-down-unknown = { $node }: su kubelet no se ejecuta. El servidor API no tiene ningún objeto Node suyo y no pregunta nada.
cut-off-unknown = { $node }: aislado. El servidor API no tiene ningún objeto Node suyo y no pregunta nada.
deaf = { $node }: lo que se le envía se pierde, sus latidos llegan. No se entera de los Pods nuevos ni de las eliminaciones.
no-runtime = { $node }: el runtime de contenedores no responde; los contenedores siguen ejecutándose.
storage-refused = { $node }: el almacenamiento lo rechaza; sus procesos ya no pueden escribir en volúmenes compartidos.
ghost = { $pod } sigue ejecutándose aquí, pero la API lo ha olvidado.

kubelet-down = { $node }: su kubelet no se ejecuta.
cut-off = { $node }: aislado.
deaf-machine = { $node }: lo que se le envía se pierde, lo que envía llega.
