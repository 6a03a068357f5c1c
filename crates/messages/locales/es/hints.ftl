second-map = Estos dos puntos abren un segundo mapa en la línea: pon el texto entre comillas, o sangra la línea como la de encima.
key-needed = Aquí hace falta una clave: empieza la línea en la columna de las demás claves de su mapa.
item-needed = Aquí hace falta un elemento: empieza la línea con un - en la columna de los demás elementos de su lista.
map-open = Antes de esto hace falta una coma o una { "}" }: un mapa entre llaves sigue abierto.
list-open = Antes de esto hace falta una coma o un ]: una lista entre corchetes sigue abierta.
value-needed = Aquí hace falta un valor.
colon-needed = Después de esta clave hacen falta dos puntos y un espacio.
quote-needed = Aquí se abre una comilla que hay que cerrar al final del texto.
no-tabs = Aquí hacen falta espacios: YAML nunca se sangra con tabuladores.
wrong-start = Aquí hacen falta espacios o comillas: una línea no se sangra con tabuladores, y ningún texto sin comillas empieza por @ o `.

unknown-field = Aquí no existe ese campo: comprueba cómo está escrito y cuánto sangrado lleva su línea.
required = Este campo es obligatorio.
no-quantity = Una cantidad es un número con una unidad: 500m, 2, 128Mi, 1Gi.
selector = El selector encuentra sus Pods por las etiquetas: la plantilla necesita las mismas.
no-name = Minúsculas, cifras y -, con una letra o una cifra en los dos extremos.
unsupported = Solo se conocen los valores enumerados ahí; las mayúsculas cuentan.
unserved = kind y apiVersion van juntos: comprueba los dos.
no-text = Este campo espera texto: pon el valor entre comillas.
other-type = Este campo espera un valor de otro tipo: un número sin comillas, true o false, una lista o un mapa.
duplicate = Ya hay algo con este nombre: en una lista no se repiten los nombres.

gaps-left = { $count ->
    [one] Queda 1 hueco: sustituye el ___
   *[other] Quedan { $count } huecos: sustituye cada ___
}
