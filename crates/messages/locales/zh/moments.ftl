before = 之前，{ $time }
after = 之后，{ $time }
pending = Pending

empty-node = { $node }：空
pending-pods = Pending：{ $pods }
