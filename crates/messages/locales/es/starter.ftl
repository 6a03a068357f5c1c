manifest = Manifiesto
as-it-was = Como estaba
apply = Aplicar
