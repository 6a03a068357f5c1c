replicaset-or-statefulset = Un ReplicaSet, o un StatefulSet
wait-or-force = Esperar, o forzar la eliminación
wait-or-declare = Esperar, o declarar fuera de servicio

statefulset-waits = Un StatefulSet que espera
replicaset = Un ReplicaSet
force-delete = Forzar la eliminación
off-wait = La máquina está apagada; esperar
off-out-of-service = La máquina está apagada; declararla fuera de servicio
