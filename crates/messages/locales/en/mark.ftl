# Texts of the marks on the timeline. They stand in a narrow lane, without a full stop.

## A fault begins. $name (String) - the affected node, pod or volume. $component (String) - such as scheduler.

partition = { $name } is cut off
slow = the links of { $name } are slow
leave = { $name } is gone for good
shutdown = { $name } shuts down
power-off = { $name } loses its power
crash-kubelet = { $name }: its kubelet crashes
crash-runtime = { $name }: its container runtime crashes
crash = { $component } crashes
second = a second { $component } believes that it leads
etcd-down = etcd is down
exit = { $name }: a process of it exits
sandbox = { $name } loses its sandbox
detach = { $name } is taken from its node
device = { $name }: a device of it changes
crash-driver = { $name }: its device drivers crash

## A fault ends

power-on = { $name } boots
not-slow = { $name } is no longer slow
etcd-up = etcd is up again
component-starts = { $component } starts
second-gone = the second { $component } is gone
kubelet-starts = { $name }: its kubelet starts
runtime-starts = { $name }: its runtime starts
device-back = { $name }: a device of it is back
driver-starts = { $name }: its device drivers start
healed = healed { $name }

## Links of a node are cut. `partition` is the name of the command and stays as it is.
## $from (String) - the other end, such as `control-plane` of the file machine.ftl, or a node.
## $lost (String) - `incoming`: what goes to the node; `outgoing`: what it sends; otherwise both.

cut = { $lost ->
    [incoming] partition { $node }, what goes to it
    [outgoing] partition { $node }, what it sends
   *[both] partition { $node }
}
cut-from = { $lost ->
    [incoming] partition { $node } from { $from }, what goes to it
    [outgoing] partition { $node } from { $from }, what it sends
   *[both] partition { $node } from { $from }
}

## Nodes and volumes

joined = { $node } joins
cordoned = { $node } cordoned
uncordoned = { $node } uncordoned
fenced = fenced { $node }
unfenced = unfenced { $node }
corrupted = { $volume } corrupted
# $taint (String) - KEY:EFFECT.
tainted = { $node } tainted { $taint }
# $key (String) - key of the taint.
untainted = { $node } no longer tainted { $key }

## Pods and containers

evicted-by-taint = { $pod } evicted: a taint of its node
evicted-by-pressure = { $pod } evicted by its kubelet: pressure on its node
ended-by-shutdown = { $pod } ended by its kubelet: the node shuts down
evicted-by-api = { $pod } evicted through the eviction API
removed-by-garbage-collector = { $pod } removed by the pod garbage collector: its node is gone or out of service
out-of-memory = { $pod }/{ $container } ran out of memory
# $code (Number) - exit code.
exited = { $pod }/{ $container } exited with { $code }
restarted = { $pod }/{ $container } runs again
no-node = { $pod }: no node
nominated = { $pod } nominated to { $node }
preempted = { $pod } preempted

## Commands and requests

# A command with manifests. $objects (String) - list of the first ones, such as: Deployment web, Pod shop.
given-more = { $more ->
   *[other] { $command }: { $objects } and { $more } more
}
# A rate of requests to a Service. $per-second, $failing (String) - numbers a second.
requests-failing = { $service } { $per-second }/s · { $failing }/s fail
