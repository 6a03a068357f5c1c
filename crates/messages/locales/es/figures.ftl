figures = Cifras
this-run = esta ejecución
other-run = la otra
plot = { $resource } solicitado en cada nodo, del más lleno al más vacío
