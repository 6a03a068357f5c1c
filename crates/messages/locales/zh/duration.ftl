seconds = { $n } s
minutes = { $n } min
hours = { $n } h
decimal-separator = .
