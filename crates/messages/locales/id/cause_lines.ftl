binds = mengikat
creates = membuat
nominates = menominasikan
preempts = menyingkirkan
taints = memberi taint
evicts = mengusir
deletes = menghapus
