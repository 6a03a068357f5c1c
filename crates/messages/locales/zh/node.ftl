no-node-object = 没有 Node 对象
no-machine = 没有机器
machine-is-off = 机器已断电
off = 已断电
no-kubelet = 没有 kubelet 在运行
no-runtime = 没有运行时应答
cut-off-last-heard = 被切断，上次心跳在 { $time } 前
unreachable = 联系不上 { $time }
not-ready = 未就绪
not-ready-because = 未就绪：{ $reason }

cut-off = 被切断
cut-off-from = 与 { $end } 断开
nothing-from-arrives = 收不到 { $end } 的消息
nothing-arrives-at = 消息到不了 { $end }
nothing-sent-arrives = 收不到发给它的消息
first-cut-and-more = { $first }，另有 { $count } 处

cut-off-notready-in = 被切断 · { $time } 后 NotReady
notready-in = { $time } 后 NotReady
notready-evicts-in = NotReady · { $time } 后驱逐
evicts-in = { $time } 后驱逐

name = 节点 { $node }
ready = 就绪
cordoned = 已封锁
pods = { $count } 个 Pod
only-name-known = 只知道它的名字

pods-only-name-known = { $count } 个 Pod · 只知道它的名字
running-pods = { $count } 个 Pod 在运行
cordoned-hint = 已封锁：不接收新的 Pod
taint = 污点 { $taint }
verdict-at = { $instant } 时：{ $verdict }

heal-links = 恢复 { $node } 的连接
cut-everything = 切断 { $node } 的所有连接

requests = 请求：CPU { $cpu }，内存 { $memory }，Pod { $pods } / { $places }
wants = { $pod } 想要 { $amount }
free = 空闲 { $amount }
has = { $node } 有 { $amount }

pods-on = { $node } 上的 Pod
nominated-hint = { $pod } 被提名到这里：正在为它腾位置
nominated-here = 被提名到这里：
api-nominated = API：已提名
waits-for-room = 等待腾出位置

api = API
pressure-as-in-files = 文件中记录的压力，这里没有谁测量它：会一直持续到机器重新启动
pressure-lasts-longer = 压力结束之后还会再上报 5 分钟，除非 evictionPressureTransitionPeriod 另有规定
