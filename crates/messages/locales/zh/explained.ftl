not-examined = 未检查：在此之前已经找到足够的节点

failed = 为 { $pod } 作决定时失败：{ $error }。调度器稍后会重试。
only-node = { $pod } 去往 { $node }：{ $of } 个节点中只有它能接收这个 Pod。
only-node-past = { $pod } 去了 { $node }：{ $of } 个节点中当时只有它能接收这个 Pod。
best = { $pod } 去往 { $node }：{ $of } 个节点中有 { $fit } 个能接收它，{ $node } 得分最高。
best-past = { $pod } 去了 { $node }：{ $of } 个节点中当时有 { $fit } 个能接收它，{ $node } 得分最高。
drawn = { $pod } 去往 { $node }：有 { $among } 个节点得分并列最高，抽签抽中了它。
drawn-past = { $pod } 去了 { $node }：当时有 { $among } 个节点得分并列最高，抽签抽中了它。
to-be-drawn = { $pod } 去往 { $nodes } 之一：它们得分并列最高，由抽签决定。

waits-no-nodes = { $pod } 在等待：集群里没有节点。{ $room }
waits-whatever-the-node = { $pod } 在等待：{ $why }，无论在哪个节点上都一样。{ $room }
waits-only-node = { $pod } 在等待：唯一的节点无法接收它：{ $why }。{ $room }
waits-refused = { $pod } 在等待：{ $nodes } 个节点都无法接收它。其中：{ $causes }。{ $room }
cause = { $nodes } 个{ $why }
room = 它可以结束 { $nodes } 上 { $victims } 个优先级较低的 Pod，占用它们的位置。
or = { " " }或{ " " }

won-only-node = 只有这个节点能接收它，所以不打分
won-ahead = 得 { $points } 分，第二名 { $next } 得 { $next-points } 分：{ $leads }
lead = { $plugin } 领先 { $points } 分（{ $about }）
and = ，
won-tie = { $nodes } 个节点并列最高分 { $points }；kube-scheduler 随机抽取一个
won-tie-drawn = { $nodes } 个节点并列最高分 { $points }；kube-scheduler 随机抽取一个，抽中了 { $chosen }

sampling = { $nodes } 个节点中检查了 { $examined } 个：找到 { $wanted } 个能接收这个 Pod 的节点，搜索就结束
fits = 能接收这个 Pod
with-note = { $words }；{ $note }
not-named = 不在这个 Pod 的亲和性所指名的节点之中

not-helpful = 结束哪个 Pod 也改变不了：{ $why }
no-victims = 那里没有优先级更低的 Pod
still-refused = 就算去掉所有优先级较低的 Pod，{ $plugin } 仍然拒绝：{ $why }
never = 这个 Pod 的 preemptionPolicy 是 Never：它只等待，不结束任何 Pod
terminating = 它之前抢占的 Pod 还在被提名的节点上结束：它在等它们
no-candidate = 就算结束优先级较低的 Pod，这个 Pod 也无法在任何节点上运行
one-candidate = 有一个节点只要结束几个优先级较低的 Pod 就行
only-candidate = 有 { $candidates } 个节点只要结束几个优先级较低的 Pod 就行；选中的这个是唯一的候选
fewest-violations = 有 { $candidates } 个节点只要结束几个优先级较低的 Pod 就行；选中的这个违反的 PodDisruptionBudget 最少
lowest-priority = 有 { $candidates } 个节点只要结束几个优先级较低的 Pod 就行；选中的这个，牺牲者的最高优先级最低
lowest-sum = 有 { $candidates } 个节点只要结束几个优先级较低的 Pod 就行；选中的这个，牺牲者优先级之和最小
fewest-victims = 有 { $candidates } 个节点只要结束几个优先级较低的 Pod 就行；选中的这个牺牲者最少
latest-start = 有 { $candidates } 个节点只要结束几个优先级较低的 Pod 就行；选中的这个，优先级最高的牺牲者启动得最晚
candidates-tie = 有 { $candidates } 个节点只要结束几个优先级较低的 Pod 就行；其中几个不分高下，选哪个都可以

separator = 、
gap = { " " }
more-even = 资源使用均衡度 { $without } → { $with }：这个 Pod 使节点更均衡
as-even = 资源使用均衡度 { $without } → { $with }：这个 Pod 不影响节点的均衡
less-even = 资源使用均衡度 { $without } → { $with }：这个 Pod 使节点更不均衡
