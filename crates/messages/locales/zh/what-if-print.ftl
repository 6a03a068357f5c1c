order-that-works = 可行的顺序
stops-at = 停在
shapes = Pod 的种类
not-wanted-on = 不需要 Pod 的节点
what-makes-room = 怎样腾出位置
node-groups = 节点组

goes = { $pod }（从 { $from }）-> { $to }
goes-nowhere = { $pod }（从 { $from }）-> 没有节点：{ $reason }
new-goes = { $pod }（新）-> { $to }
new-goes-nowhere = { $pod }（新）-> 没有节点：{ $reason }
nothing-changes = 什么也没有变。

stops = 停在 { $node-and-why }
rolling-summary = { $seconds } s 之后：腾空了 { $drained } 个节点，{ $stopped } 个没有腾空。

fit-after = 放得下 { $count } 个，只要先执行：{ $commands }

group = { $name }：{ $nodes } 个节点，{ $limits }，新节点与 { $like } 一样
group-of-default-machine = { $name }：{ $nodes } 个节点，{ $limits }，新节点与默认机器一样
limits = 最少 { $min }，最多 { $max }
limits-without-max = 最少 { $min }，最多不明
limits-not-known = 上下限不明
pod = Pod { $pod }
pod-of-owner = Pod { $pod }（属于 { $owner }）
pods = Pod { $pod } 以及另外 { $more } 个
pods-of-owner = Pod { $pod } 以及另外 { $more } 个（属于 { $owner }）
no-group = 没有节点组；有 { $pods } 个 Pod 在等待。
grow-summary = cluster autoscaler 的模型：{ $waiting } 个等待的 Pod 中，节点组能帮到 { $helped } 个，另有 { $fitting } 个不靠它也放得下。
with-not-asked = { $summary }还有 { $more } 个 Pod 没有问。
