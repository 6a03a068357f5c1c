replicaset-or-statefulset = ReplicaSet, atau StatefulSet
wait-or-force = Tunggu, atau hapus paksa
wait-or-declare = Tunggu, atau nyatakan tidak beroperasi

statefulset-waits = StatefulSet yang menunggu
replicaset = ReplicaSet
force-delete = Hapus paksa
off-wait = Mesin mati; tunggu
off-out-of-service = Mesin mati; nyatakan tidak beroperasi
