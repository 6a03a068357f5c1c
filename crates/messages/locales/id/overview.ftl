name = { $nodes } Node dalam { $groups } kelompok; tombol panah berpindah dari Node ke Node, Enter memilih
groups = Kelompok
all-groups = Semua kelompok

group-hint = { $nodes } Node, { $pods } Pod. Lihat yang ini saja
not-ready = { $count } tidak siap
pods = Pod
