no-object = sin objeto Node
off = máquina apagada
off-short = apagado
cut-off = aislado
links-cut = enlaces cortados
not-ready = no listo
cordoned = acordonado
