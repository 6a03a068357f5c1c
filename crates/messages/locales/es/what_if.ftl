drain = { $count ->
    [one] ¿Y si se drena { $nodes }?
   *[other] ¿Y si se drenan { $nodes }?
}
drain-more = { $more ->
   *[other] ¿Y si se drenan { $nodes } y { $more } más?
}
lose-zone = ¿Y si la zona { $zone } se queda sin corriente?
consolidate = ¿Qué nodos sobran?
figures = Cifras de las dos ejecuciones
fit = ¿Cuántos Pods más como { $pod } caben?

counting = El planificador coloca copias en una copia del clúster
trying-changes = Se prueban cambios en copias del clúster
consolidating = Se drenan los nodos más vacíos en una copia del clúster
running = Se ejecuta una copia del clúster
stop = Detener

whole-zone = ¿Y la zona entera?
no-marks = El clúster es demasiado grande para poner marcas en la escena: adónde irían los Pods lo dice solo la tabla.
figures-contents = Cifras y gráficos
fit-contents = Nodos, y qué impide el siguiente Pod
consolidate-contents = Nodos, en el orden en que se drenan
contents = Pods, nodos y lo que se rompe
node = Nodo
more-pods = Más Pods
stops-next = Qué impide el siguiente
to-nowhere = a ninguna parte
more-rows = { $count ->
   *[other] y { $count } más, que están en el texto copiado
}
drain-it = { $count ->
    [one] Drenarlo
   *[other] Drenarlos
}
copy = Copiar como Markdown
copied = Respuesta copiada como Markdown.
cannot-copy = El navegador no permite copiar aquí.
as-of = Estado en el minuto { $at }.
tried = Probado en una copia del clúster tal como estaba en el minuto { $at }; tu ejecución no ha cambiado.
