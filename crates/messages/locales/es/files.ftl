too-large = { $name } ocupa más de 256 MiB
unreadable = { $name } no se puede leer
empty = { $name } está vacío: no se ha abierto nada
