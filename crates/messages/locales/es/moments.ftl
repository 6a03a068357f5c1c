before = Antes, { $time }
after = Después, { $time }
pending = pendientes

empty-node = { $node }: vacío
pending-pods = pendientes: { $pods }
