# What scheduler plugins decide, and why they reject nodes: `NAME-about`, `NAME-refused` (follows a number of nodes:
# "3 too full for its requests"), and short words for their fixed reasons.

other-refused = unsuitable for another reason

balanced-allocation-about = cpu and memory used more evenly

default-binder-about = binds the pod to its node

default-preemption-about = room made by ending less important pods

dynamic-resources-about = claims on devices
dynamic-resources-refused = without the devices that its claims ask for
dynamic-resources-no-free-devices = no free devices
dynamic-resources-claim-is-elsewhere = claim is elsewhere

image-locality-about = images already on the node

inter-pod-affinity-about = near or far from other pods
inter-pod-affinity-refused = against rules of affinity between pods
inter-pod-affinity-pod-affinity = pod affinity
inter-pod-affinity-pod-anti-affinity = pod anti-affinity
inter-pod-affinity-another-pod-s-anti-affinity = another pod's anti-affinity

node-affinity-about = nodeSelector and node affinity
node-affinity-refused = excluded by its node selector or affinity
node-affinity-node-affinity-selector = node affinity/selector
node-affinity-the-scheduler-s-node-affinity = the scheduler's node affinity

node-declared-features-about = features of newer kubelets
node-declared-features-refused = without a feature of newer kubelets that it needs

node-name-about = a node asked for by name
node-name-another-node-is-named = another node is named

node-ports-about = ports of the node
node-ports-refused = using its port already
node-ports-port-in-use = port in use

node-resources-fit-about = room for the pod's requests
node-resources-fit-refused = too full for its requests

node-unschedulable-about = cordoned nodes
node-unschedulable-refused = cordoned
node-unschedulable-unschedulable = unschedulable

node-volume-limits-about = how many volumes a node can attach
node-volume-limits-too-many-volumes = too many volumes

pod-topology-spread-about = pods spread over domains
pod-topology-spread-refused = against its spread constraints
pod-topology-spread-topology-spread = topology spread
pod-topology-spread-no-label-to-spread-by = no label to spread by

priority-sort-about = higher priority first

scheduling-gates-about = a pod with gates waits

taint-toleration-about = taints and tolerations
taint-toleration-refused = closed to it by a taint
taint-toleration-untolerated-taint = untolerated taint

volume-binding-about = volumes the node can reach
volume-binding-its-volume-is-elsewhere = its volume is elsewhere
volume-binding-no-volume-to-bind = no volume to bind
volume-binding-no-free-storage = no free storage
volume-binding-its-volume-is-lost = its volume is lost
volume-binding-unbound-claims = unbound claims

volume-restrictions-about = volumes only one pod may use
volume-restrictions-disk-in-use = disk in use
volume-restrictions-claim-in-use = claim in use

volume-zone-about = volumes and nodes of one zone
volume-zone-its-volume-s-zone-is-elsewhere = its volume's zone is elsewhere

volumes-cannot-serve = unable to serve its volumes
