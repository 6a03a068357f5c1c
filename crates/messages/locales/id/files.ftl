too-large = { $name } lebih besar daripada 256 MiB
unreadable = { $name } tidak bisa dibaca
empty = { $name } kosong: tidak ada yang dibuka
