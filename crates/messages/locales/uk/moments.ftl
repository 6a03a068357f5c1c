before = До, { $time }
after = Після, { $time }
pending = очікують

empty-node = { $node }: порожній
pending-pods = очікують: { $pods }
