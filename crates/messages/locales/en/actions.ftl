# Actions on objects: labels of buttons, short descriptions of commands, warnings before dangerous commands.

## Nodes and their machines

cut-off = Cut off
lose-inbound = Lose what goes to it
heal-links = Heal its links
uncordon = Uncordon
cordon = Cordon
drain = Drain
crash-kubelet = Crash the kubelet
restart-kubelet = Restart the kubelet
crash-runtime = Crash the runtime
restart-runtime = Restart the runtime
power-off = Power off
boot = Boot
back-in-service = Back in service
out-of-service = Declare out of service
delete-node = Delete the Node object

## Zones

heal-zone = Heal the zone
cut-zone = Cut the zone off

## Pods

heal-node-links = Heal the node's links
power-machine-off = Power the machine off
delete-pod = Delete
force-delete-pod = Force delete
break-sandbox = Break its sandbox

## Other objects

scale-up = Scale up
scale-down = Scale down
restart-rollout = Restart
delete-object = Delete

## Components of the control plane

stop-etcd = Stop etcd
start-etcd = Start etcd
crash-component = Crash it
restart-component = Restart it
start-second = Start a second one

## Short descriptions of commands, on buttons

heal-all = Heal everything
heal-zone-named = Heal zone { $zone }
cut-zone-named = Cut off zone { $zone }
cut-off-named = Cut off { $node }
heal-named = Heal { $node }
power-off-named = Power off { $node }
boot-named = Boot { $node }
force-delete-named = Force delete { $pod }
delete-named = Delete { $pod }
cordon-named = Cordon { $node }
uncordon-named = Uncordon { $node }
drain-named = Drain { $node }

## Beside a command that a story suggests and whose effect is already present

node-is-cut-off = { $node } is cut off: its pods run on there, and nobody hears of them.
node-is-off = { $node } is off: nothing runs there.

## Warnings before dangerous commands

detach-warning = The volume is taken away although its node may still write to it. Without a fence before it, two writers may meet on one volume.
force-delete-warning = Immediate deletion does not wait for confirmation that the running resource has been terminated. The resource may continue to run on the cluster indefinitely. For a StatefulSet that means two members with one name may run at the same time.
delete-node-warning = Deleting the Node object tells Kubernetes that the machine is gone for good: the pod garbage collector then force deletes its pods. If the machine still runs, so do they.
delete-namespace-warning = Deleting a namespace deletes everything in it. It cannot be called off, and it waits for pods on nodes that are cut off.
force-drain-warning = Pods without a controller are deleted too; nothing brings them back.
out-of-service-warning = Out of service means: I know that this machine is down. Its pods are force deleted and their volumes detached at once. If it still runs, two writers may meet on one volume.

## Why dropping a pod on another node does not move it

# $node - the node that the pod was dropped on.
cannot-move-ghost = { $pod } is a process that the API has forgotten: nothing can ask it to go to { $node }.
# $node - the node that the pod was dropped on.
cannot-move-pending = Where { $pod } runs is the scheduler's decision. To make it choose { $node }, change what it looks at: labels, taints, requests.
# $from - the node that the pod is bound to. $node - the node that it was dropped on.
cannot-move-bound = A pod is never moved: { $pod } was bound to { $from } once and stays there until it ends. There is no live migration. Delete it, and its controller makes a new pod that the scheduler may place on { $node }.
