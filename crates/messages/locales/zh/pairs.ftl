replicaset-or-statefulset = ReplicaSet 还是 StatefulSet
wait-or-force = 等待还是强制删除
wait-or-declare = 等待还是声明停止服务

statefulset-waits = 等待的 StatefulSet
replicaset = ReplicaSet
force-delete = 强制删除
off-wait = 机器断电；等待
off-out-of-service = 机器断电；声明它停止服务
