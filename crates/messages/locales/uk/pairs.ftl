replicaset-or-statefulset = ReplicaSet або StatefulSet
wait-or-force = Чекати або видалити примусово
wait-or-declare = Чекати або позначити «не в експлуатації»

statefulset-waits = StatefulSet, що чекає
replicaset = ReplicaSet
force-delete = Видалити примусово
off-wait = Машину вимкнено; чекати
off-out-of-service = Машину вимкнено; позначити «не в експлуатації»
