before = Sebelum, { $time }
after = Sesudah, { $time }
pending = Pending

empty-node = { $node }: kosong
pending-pods = Pending: { $pods }
