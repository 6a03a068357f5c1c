# Prepared comparisons: a node is lost, and two reactions run side by side.

## Names of the comparisons, in a list

replicaset-or-statefulset = A ReplicaSet, or a StatefulSet
wait-or-force = Wait, or force delete
wait-or-declare = Wait, or declare out of service

## Titles of the two runs

statefulset-waits = A StatefulSet that waits
replicaset = A ReplicaSet
force-delete = Force delete
off-wait = The machine is off; wait
off-out-of-service = The machine is off; declare it out of service
