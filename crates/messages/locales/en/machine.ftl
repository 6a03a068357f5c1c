# The machine under a node, and how it differs from what the API says.

fenced-by-storage = Fenced by storage.
fenced-by-network = Fenced by network.

## The other end of a link that is cut. Such as: partition a-1 from the control plane.

control-plane = the control plane
storage = storage
other-nodes = other nodes

## Differences. $pod (String) - NAMESPACE/NAME.

no-machine = { $node }: there is a Node object, but no machine.
no-power = { $node } has no power: nothing runs here.
no-power-with-pods = { $listed ->
    [one] { $node } has no power: nothing runs here. The API server still lists a pod on it.
   *[other] { $node } has no power: nothing runs here. The API server still lists { $listed } pods on it.
}
# $time (String) - a duration.
kubelet-down-for = { $node }: its kubelet does not run, no heartbeat for { $time }. The API server cannot know whether its pods still run.
kubelet-down-yet = { $node }: its kubelet does not run, no heartbeat yet. The API server cannot know whether its pods still run.
cut-off-for = { $node }: cut off, no heartbeat for { $time }. The API server cannot know whether its pods still run.
cut-off-yet = { $node }: cut off, no heartbeat yet. The API server cannot know whether its pods still run.
kubelet-down-unknown = { $node }: its kubelet does not run. The API server has no Node object of it and asks nothing.
cut-off-unknown = { $node }: cut off. The API server has no Node object of it and asks nothing.
deaf = { $node }: what is sent to it is lost, its heartbeats arrive. It does not hear of new pods and deletions.
no-runtime = { $node }: the container runtime does not answer; containers run on.
storage-refused = { $node }: storage refuses it; its processes can no longer write to shared volumes.
ghost = { $pod } still runs here, but the API has forgotten it.

## Differences as the machine shows them, which does not know the API server

kubelet-down = { $node }: its kubelet does not run.
cut-off = { $node }: cut off.
deaf-machine = { $node }: what is sent to it is lost, what it sends arrives.
