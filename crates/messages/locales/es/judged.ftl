node = { $node }: { $why }
command-refused = El comando se rechaza: { $error }
all-well = Con él todo va bien.
not-reached = Después no hay nada roto, pero no se alcanza lo que se pedía.
findings-after =
    Tres minutos después:
    { $findings }
which-command-mends = ¿Qué único comando lo arregla?
