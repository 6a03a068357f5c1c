other-refused = 因其他原因不合适

balanced-allocation-about = CPU 和内存用得更均衡

default-binder-about = 把 Pod 绑定到它的节点

default-preemption-about = 结束优先级较低的 Pod 来腾位置

dynamic-resources-about = 设备的申领
dynamic-resources-refused = 没有它的申领所要的设备
dynamic-resources-no-free-devices = 没有空闲的设备
dynamic-resources-claim-is-elsewhere = 申领在别处

image-locality-about = 节点上已有的镜像

inter-pod-affinity-about = 靠近或远离其他 Pod
inter-pod-affinity-refused = 违反 Pod 之间的亲和性规则
inter-pod-affinity-pod-affinity = Pod 亲和性
inter-pod-affinity-pod-anti-affinity = Pod 反亲和性
inter-pod-affinity-another-pod-s-anti-affinity = 另一个 Pod 的反亲和性

node-affinity-about = nodeSelector 和节点亲和性
node-affinity-refused = 被它的节点选择算符或亲和性排除
node-affinity-node-affinity-selector = 节点亲和性或选择算符
node-affinity-the-scheduler-s-node-affinity = 调度器的节点亲和性

node-declared-features-about = 较新 kubelet 的特性
node-declared-features-refused = 没有它需要的较新 kubelet 的特性

node-name-about = 按名字指定的节点
node-name-another-node-is-named = 指定的是另一个节点

node-ports-about = 节点的端口
node-ports-refused = 已有 Pod 占用它的端口
node-ports-port-in-use = 端口被占用

node-resources-fit-about = Pod 的请求所需的空间
node-resources-fit-refused = 放不下它的请求

node-unschedulable-about = 已封锁的节点
node-unschedulable-refused = 已封锁
node-unschedulable-unschedulable = 不可调度

node-volume-limits-about = 节点能挂接多少个卷
node-volume-limits-too-many-volumes = 卷太多

pod-topology-spread-about = Pod 在各个域中的分布
pod-topology-spread-refused = 违反它的拓扑分布约束
pod-topology-spread-topology-spread = 拓扑分布
pod-topology-spread-no-label-to-spread-by = 缺少分布所依据的标签

priority-sort-about = 优先级高的在先

scheduling-gates-about = 有门控的 Pod 先等着

taint-toleration-about = 污点和容忍度
taint-toleration-refused = 有它不容忍的污点
taint-toleration-untolerated-taint = 不容忍的污点

volume-binding-about = 节点够得着的卷
volume-binding-its-volume-is-elsewhere = 它的卷在别处
volume-binding-no-volume-to-bind = 没有可绑定的卷
volume-binding-no-free-storage = 没有空闲的存储
volume-binding-its-volume-is-lost = 它的卷已丢失
volume-binding-unbound-claims = 未绑定的申领

volume-restrictions-about = 只许一个 Pod 使用的卷
volume-restrictions-disk-in-use = 磁盘被占用
volume-restrictions-claim-in-use = 申领被占用

volume-zone-about = 卷和节点在同一个可用区
volume-zone-its-volume-s-zone-is-elsewhere = 它的卷在别的可用区

volumes-cannot-serve = 无法提供它的卷
