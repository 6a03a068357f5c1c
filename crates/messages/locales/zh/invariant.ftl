group-identity = 身份
group-life = 生命期
group-termination = 终止
group-storage = 存储
group-scheduling = 调度
group-requests = 请求
group-in-the-end = 最终

at-most-one = StatefulSet 的每个成员，无论在哪里，有进程活着的最多只有一个。
at-most-one-keeper = StatefulSet 控制器等待旧对象消失；只有 kubelet 才让它消失。
at-most-one-breaker = 强制删除、不实的停止服务污点，或者机器还在运行就删除它的 Node 对象。

safe-stall = 网络分区期间，成员可以缺失或停住，但绝不会变成两个。
safe-stall-keeper = StatefulSet 控制器，办法就是什么也不做。
safe-stall-breaker = 打破 at-most-one 的那些事。

attach-cas = 挂接关系只会从观察到的状态出发改变，Pod 只在挂接了它的卷的地方运行。
attach-cas-keeper = 挂接控制器和 kubelet。
attach-cas-breaker = 有意打破它的隔离。

daemon-one = DaemonSet 在一个节点上最多有一个活动的 Pod，maxSurge 多出的不算。
daemon-one-keeper = DaemonSet 控制器。
daemon-one-breaker = 两个管理器之间的竞争；重复的会被移除。

detach-live = 没有 Pod 需要的卷，最终会解除挂接。
detach-live-keeper = 挂接控制器：卸载之后、超时之后，或者隔离之后。
detach-live-breaker = 关掉超时。

evict-throttle = 给节点加 NoExecute 污点，不会快于所在可用区允许的速率；所有可用区都没有消息时，绝不加。
evict-throttle-keeper = 节点生命周期控制器。
evict-throttle-breaker = 手动加污点的人。

fence-before-break = 强行拿走卷之前，先确认它的节点已被隔离。
fence-before-break-keeper = 负责隔离的控制器。
fence-before-break-breaker = 操作者的失误。

force-authority = 以宽限期限 0 删除的，只有 kubelet、清理失联 Pod 的垃圾收集器和人。
force-authority-keeper = 每个控制器：它们只提出请求。
force-authority-breaker = 人。

forward-only = 阶段只会前进，只有在新沙箱里重新运行的 Init 容器例外；删除从不收回。
forward-only-keeper = API 服务器和 kubelet。
forward-only-breaker = Node 对象已被删除，它的 kubelet 却还在上报 Pod 是怎样结束的。

grace-monotone = 宽限期限可以缩短，绝不能延长。
grace-monotone-keeper = API 服务器。
grace-monotone-breaker = kubelet 崩溃后会重新计时，时长不变。

grace-honoured = 从 SIGTERM 到 SIGKILL，进程拥有它的宽限期限减去 preStop 用掉的时间，但至少有两秒。
grace-honoured-keeper = kubelet。
grace-honoured-breaker = 宽限更短的第二次删除、强制删除、驱逐、失去的节点；恢复之后拒绝这个 Pod 的 kubelet。

nominee-resolved = 被提名的 Pod 最终会得到调度、被优先级更高的挤掉，或者被删除。
nominee-resolved-keeper = 调度器。
nominee-resolved-breaker = 没有人恢复的网络分区。

no-orphans = 网络分区恢复之后，API 已经忘记的进程会结束。
no-orphans-keeper = kubelet：API 没有列出的，就停掉。
no-orphans-breaker = kubelet 或运行时没有运行。

namespace-gone = 正在删除的名字空间最终会消失。
namespace-gone-keeper = 名字空间控制器。
namespace-gone-breaker = 别人的 Finalizer；网络分区，只要它还持续着。

ready-restored = 节点恢复之后，它的污点会去掉，它的 Pod 会重新就绪。
ready-restored-keeper = 节点生命周期控制器和 kubelet。
ready-restored-breaker = 没有什么能打破它。

converge = 外界平静下来之后，副本会与 spec 一致。
converge-keeper = 所有控制器。
converge-breaker = 配额、没有位置、被网络分区隔开的成员。

pending-placed = 有地方放得下的 Pod，不会一直停在 Pending。
pending-placed-keeper = 调度器和它的队列。
pending-placed-breaker = 调度门控；调度器没有运行。

no-early-removal = Pod 的进程一个也不剩时，kubelet 才移除它的对象。
no-early-removal-keeper = kubelet。
no-early-removal-breaker = 没有什么能打破它。

no-overcommit = 绑定的时候，Pod 所请求的在节点上放得下。
no-overcommit-keeper = 调度器。
no-overcommit-breaker = 过时的缓存、直接绑定、静态 Pod、变小的节点。

no-request-to-ended = 只要所有连接都完好，客户端的节点得知某个端点结束，过了 5 s 就不再有请求发给它。
no-request-to-ended-keeper = kube-proxy：得知变化之后，最多一秒就写好规则。
no-request-to-ended-breaker = 得知了变化却不行动的 kube-proxy。

one-node = Pod 只在它绑定的节点上运行，不在别处；nodeName 从不改变。
one-node-keeper = API 服务器拒绝第二次绑定。
one-node-breaker = 没有什么能打破它。

pdb-ledger = 驱逐从不超出干扰预算允许的数目。
pdb-ledger-keeper = eviction 子资源，它核对的是预算状态的同一个版本。
pdb-ledger-breaker = 一切不是驱逐的：删除、抢占、失去节点。

preempt-lower = 只有优先级更低的 Pod 会失去位置，而且只让给正在等这个位置的 Pod。
preempt-lower-keeper = 调度器。
preempt-lower-breaker = 没有什么能打破它。

roll-bound = 上线不会越出 maxSurge 和 maxUnavailable 的界限。
roll-bound-keeper = Deployment 控制器。
roll-bound-breaker = 正在终止的 Pod 不计在内：它们仍然占着位置。

single-writer = ReadWriteOnce 卷同一时刻只能由一个节点写入；ReadWriteOncePod 卷只能由一个 Pod 写入。
single-writer-keeper = 挂接控制器，以及拒绝第二次挂接的存储后端。
single-writer-breaker = 没有隔离就强制解除挂接；什么都不拒绝的存储后端（NFS）。

skew-at-bind = DoNotSchedule 约束在绑定的那一刻成立。
skew-at-bind-keeper = 调度器。
skew-at-bind-breaker = 之后发生的事：删除、标签变了。

slot-unique = 同名的对象还在，StatefulSet 就绝不创建这个成员。
slot-unique-keeper = API 服务器：对象消失之前，它的名字一直被占用。
slot-unique-breaker = 没有什么能打破它。
