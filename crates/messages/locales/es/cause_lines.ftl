binds = vincula
creates = crea
nominates = nomina
preempts = expropia
taints = contamina
evicts = desaloja
deletes = elimina
