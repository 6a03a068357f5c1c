node-not-ready = { $why }；上面有 { $pods } 个 Pod
kubelet-not-heard = 它的 kubelet 没有消息
not-ready-for = 未就绪：{ $reason }

bring-machine-back = 恢复机器或它的网络；只要没有人确知它已关机，它的 Pod 就可能还在运行。一旦确定它已关机：{ $command }
bring-node-back = 恢复节点 { $node }：它的 kubelet 随后会结束这个 Pod
once-machine-is-off = 一旦确定机器已关机：{ $command }

gated = 被调度门控 { $gates } 挡住：调度器不去看它
gate-of = { $gate }（由 { $setter } 设置）
said-in-cluster = { $message }（集群里是这样说的；{ $missing }）
nobody-can-say = 谁也说不清为什么：{ $missing }
said-by-unknown-scheduler = { $message }（它的调度器是 { $scheduler }，这里不认识）
unknown-scheduler = 它的调度器是 { $scheduler }，这里不认识：没有什么能说明它为什么等待
message-and-cause = { $message } { $cause }
and-cause = { $before }。{ $cause }
made-for-node = 它的 DaemonSet 只为节点 { $node } 创建了它
claim-in-use = 它的申领 { $claim } 是 ReadWriteOncePod，节点 { $node } 上的 Pod { $pod } 正在使用
devices-on-node = 在 { $node } 上：{ $lines }
fits-now = 从文件内容看，现在放得下：在 { $nodes } 上
fits-on = 它还没有被调度：{ $nodes } 上放得下

ended-containers = { $ends }
message-and-ends = { $message }：{ $ends }
container-ended = 容器 { $container } 已结束（{ $exit }）
container-restarts = 容器 { $container } 运行后又结束（{ $exit }），已重启 { $restarts } 次
exit-code = 退出码 { $code }
reason-with-exit-code = { $reason }，退出码 { $code }

held-by-finalizers = 被 Finalizer { $names } 挡住：谁设置的，就得由谁去掉
node-unreachable = 它的节点 { $node } 联系不上，所以没有 kubelet 确认它的容器已经结束
node-unreachable-then-held = 它的节点 { $node } 联系不上，所以没有 kubelet 确认它的容器已经结束；那之后还有 Finalizer { $names } 挡着
grace-has-ended = 它的宽限期限已过，{ $node } 的 kubelet 却没有结束它
grace-has-ended-unbound = 它的宽限期限已过，它节点的 kubelet 却没有结束它
used-by-pod = Pod { $pod } 还在使用它（{ $finalizer }）
used-by-none = 被 Finalizer { $finalizer } 挡住，尽管文件里没有 Pod 使用它
waits-for-owned = 它在等自己拥有的对象消失
content-not-gone = 它的内容还没有消失
finalizer-not-removed = 它的 Finalizer 还没有去掉
reserved-for = 它为 { $users } 保留
let-controller-finish = 让 { $names } 的控制器做完；如果那个控制器再也不会回来，就去掉 Finalizer：{ $command }

of-container = 容器 { $container }：{ $message }
ends-repeatedly = 它一再结束
image = 镜像 { $image }：{ $message }
init-container-runs = 它的 Init 容器 { $container } 还没有结束
container-not-ready-for = 容器 { $container } 未就绪：{ $message }
startup-probe-fails = 容器 { $container } 的启动探针没有成功
readiness-probe-fails = 容器 { $container } 的就绪探针失败
container-not-ready = 容器 { $container } 在运行，但未就绪
container-waits = 容器 { $container } 在等待：{ $reason }
not-created = 还没有创建
readiness-gate = 它的就绪门控 { $gate } 不是 True
not-begun = 它已绑定到 { $node }，那里的 kubelet 还没有开始处理它
only-containers-ready = 它的容器都就绪了，它自己却没有

pod-not-ready = Pod { $pod } 未就绪：{ $why }
node-of-pod-not-ready = 它的节点 { $node } 未就绪
not-ready = 它未就绪
cannot-create-pods = 一个 Pod 也创建不了：{ $message }
rollout = { $wanted } 个副本中有 { $updated } 个属于新模板；{ $pod }
daemon-rollout = { $wanted } 个节点中有 { $updated } 个有了新模板的 Pod；{ $pod }，这就用尽了 maxUnavailable { $allowed }

too-few-healthy = 它不允许任何干扰：只有 { $healthy } 个 Pod 健康，必须有 { $needed } 个
no-spare = 它不允许任何干扰：{ $pods } 个 Pod 中有 { $healthy } 个健康，必须有 { $needed } 个
get-pods-ready = 让它的选择算符所选的、还不健康的 Pod 就绪
run-one-more = 多运行一个副本，或者让预算允许一次干扰（maxUnavailable: 1）

volume-not-bound = 它的卷 { $volume } 还没有与它绑定
waits-for-pod = StorageClass { $class } 要等使用这个申领的 Pod { $pod } 得到节点
waits-for-first-pod = StorageClass { $class } 在等第一个使用这个申领的 Pod，而现在一个也没有
waits-for-provisioner = 它在等 { $provisioner } 制备它的卷
no-volume-fits = 没有合适的卷，也没有 StorageClass 来制备
bound-without-devices = Pod { $pod } 没有等它就绑定到了 { $node }，不会有谁来分配它
gets-devices-with-node = 使用它的 Pod { $pod } 得到节点时，它才得到设备
attachment-error = 节点 { $node } 上的卷 { $volume }：{ $message }
not-detached = 卷 { $volume } 还没有从节点 { $node } 解除挂接
