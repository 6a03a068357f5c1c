fenced-by-storage = 已隔离：存储拒绝它。
fenced-by-network = 已隔离：网络已断开。

control-plane = 控制平面
storage = 存储
other-nodes = 其他节点

no-machine = { $node }：有 Node 对象，但没有机器。
no-power = { $node } 已断电：这里什么也没运行。
no-power-with-pods = { $listed ->
   *[other] { $node } 已断电：这里什么也没运行。API 服务器仍列着它上面的 { $listed } 个 Pod。
}
kubelet-down-for = { $node }：它的 kubelet 没有运行，已有 { $time } 没有心跳。API 服务器无法知道它的 Pod 是否还在运行。
kubelet-down-yet = { $node }：它的 kubelet 没有运行，还没有过心跳。API 服务器无法知道它的 Pod 是否还在运行。
cut-off-for = { $node }：被切断，已有 { $time } 没有心跳。API 服务器无法知道它的 Pod 是否还在运行。
cut-off-yet = { $node }：被切断，还没有过心跳。API 服务器无法知道它的 Pod 是否还在运行。
kubelet-down-unknown = { $node }：它的 kubelet 没有运行。API 服务器没有它的 Node 对象，什么也不过问。
cut-off-unknown = { $node }：被切断。API 服务器没有它的 Node 对象，什么也不过问。
deaf = { $node }：发给它的消息会丢失，它的心跳能送达。它不知道有新的 Pod，也不知道有删除。
no-runtime = { $node }：容器运行时没有应答；容器照常运行。
storage-refused = { $node }：存储拒绝它；它的进程再也不能写入共享的卷。
ghost = { $pod } 仍在这里运行，但 API 已经忘记它。

kubelet-down = { $node }：它的 kubelet 没有运行。
cut-off = { $node }：被切断。
deaf-machine = { $node }：发给它的消息会丢失，它发出的能送达。
