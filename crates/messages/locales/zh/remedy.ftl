fits = { $change }：这样有 { $nodes } 个节点能接收它
ends = { $change }：会结束 { $node } 上的 { $victims }

uncordon = 解除 { $node } 的封锁
untaint = 从节点 { $node } 去掉污点 { $taint }
ungate-by = 去掉调度门控 { $gates }，{ $setter } 放行这个 Pod 时会这样做
ungate = 去掉调度门控 { $gates }，设置它的控制器放行这个 Pod 时会这样做
honor-taints = 按 { $topology-key } 分布时，不计入带有 Pod 不容忍的污点的节点（nodeTaintsPolicy: Honor）
tolerate = 让 Pod 容忍污点 { $taint }
shrink = 把 { $resource } 的请求从 { $from } 改为 { $to }
max-skew = 把按 { $topology-key } 分布的 maxSkew 放宽到 { $to }
min-domains = 按 { $topology-key } 分布时，只要求 { $to } 个域（minDomains）
soften = 把按 { $topology-key } 的分布从必须满足改为尽量满足（ScheduleAnyway）
drop = 去掉 { $field }
drop-request = 去掉 { $resource } 的请求
priority = 给 Pod 设 PriorityClass { $class }（{ $value }）
allow-preemption = 允许 Pod 抢占（preemptionPolicy PreemptLowerPriority）
scheduler = 重新创建 Pod，把 schedulerName 设为 { $to }：已有的 Pod 无法修改这一项
delete-pod = 删除 { $node } 上的 Pod { $pod }
delete-pod-of = 删除 { $node } 上的 Pod { $pod }（它的 { $kind } 会再创建一个，新的可能又占去这个位置）
label = 给节点 { $node } 加上标签 { $key }={ $value }
offer = 让 { $node } 提供 { $amount } { $resource }，就像设备插件那样
add-pod = 运行一个带有标签 { $labels } 的 Pod { $pod }，亲和性要的正是它

coscheduling-plugin = Coscheduling 插件
multiarch-operator = Multiarch Tuning Operator

in-claim = ResourceClaim { $claim }
in-request = ResourceClaim { $claim } 的请求 { $request }
fewer-devices = { $place } 中只要 { $to } 个设备，而不是 { $from } 个
drop-selector = 去掉 { $place } 中的选择算符 { $expression }
tolerate-device-taint = { $place } 中容忍设备污点 { $taint }
drop-capacity = 去掉 { $place } 中对容量的请求
drop-constraint = 去掉 { $place } 中对 { $attribute } 的约束
delete-claim = 删除 ResourceClaim { $claim }，没有 Pod 在用它的设备

any-node = 一个节点
node-like = 一个像 { $like } 那样的节点
node-like-without = 一个像 { $like } 那样、但没有污点 { $taints } 的节点
add-node-with = 添加{ $node }，带有 { $more }
add-node-in-new-domain = 添加{ $node }，位于 { $topology-key } 的一个尚不存在的域
add-node-in-domain = 添加{ $node }，带有 { $topology-key }={ $domain }
add-node-near-volume = 添加{ $node }，带有 { $topology-key }={ $domain }，那里够得着卷 { $volume }
add-node-with-devices = 添加一个像 { $like } 那样的节点，带有同样的 { $drivers } 设备
