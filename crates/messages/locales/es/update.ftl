task-open = abriendo
task-seek = yendo al instante
task-film = creando la película
task-what-if = probando qué pasaría

no-budgets = Ningún fichero contiene un PodDisruptionBudget: la expropiación y `kubectl drain` no los tienen en cuenta
no-nodes = Ningún fichero contiene un Node: los Pods pendientes encuentran un clúster inventado de seis nodos
only-names = Ningún fichero contiene un Node, así que nadie puede decir por qué un Pod está pendiente
one-namespace = Todos los Pods de los ficheros son del espacio de nombres { $namespace }: lo demás que se ejecuta en los nodos no se cuenta
cut = { $count ->
    [one] { $file } termina a mitad de la línea { $line }: se ha leído un objeto, y falta lo que venía después
   *[other] { $file } termina a mitad de la línea { $line }: se han leído { $count } objetos, y falta lo que venía después
}

link-long = { $characters ->
    [one] Este enlace tiene { $characters } carácter; algunos programas cortan los enlaces a partir de { $limit }. Un fichero de escenario es más seguro.
   *[other] Este enlace tiene { $characters } caracteres; algunos programas cortan los enlaces a partir de { $limit }. Un fichero de escenario es más seguro.
}
link-too-long = { $characters ->
    [one] Este enlace tiene { $characters } carácter; no todos los navegadores abren uno tan largo. Guarda un fichero de escenario.
   *[other] Este enlace tiene { $characters } caracteres; no todos los navegadores abren uno tan largo. Guarda un fichero de escenario.
}

film-empty-span = Una película necesita un intervalo ya reproducido: su final tiene que ir después de su comienzo
film-too-large = Esta película ocuparía más de { $mib } MiB: elige un intervalo más corto, o un clúster más pequeño
