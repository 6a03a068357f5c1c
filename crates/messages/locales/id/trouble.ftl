no-object = tanpa objek Node
off = mesin mati
off-short = mati
cut-off = terputus
links-cut = sambungan putus
not-ready = tidak siap
cordoned = di-cordon
