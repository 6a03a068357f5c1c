nobody-can-say = 谁也说不清这个 Pod 为什么是 Pending：{ $what }。
real-scheduler-said = 真实的调度器说：
not-looked-at-yet = 调度器还没有看过这个 Pod。
scheduler-not-asked = 它在 t = 0 之前就已绑定，或者自带节点：没有问过调度器。
attempt = 第 { $number } 次尝试，共 { $count } 次 · { $instant }
last-attempt = 最后一次尝试
attempt-before = 上一次尝试
next-attempt = 下一次尝试
as-the-event-says = 事件中的说法

cannot-take-it = 无法接收它（{ $count }）
nodes = { $count } 个节点
and-more = 以及另外 { $count } 个
devices = 设备

scores = 得分
plugin = 插件
weight = 权重
total = 总计
what-it-adds = { $plugin } 加了多少分
and-more-nodes = 以及另外 { $count } 个节点

spread-by = 按 { $key } 分布
spread-hard = 最空的有 { $least } 个；maxSkew { $skew } 允许每个最多 { $limit } 个。
spread-soft = 最空的有 { $least } 个；maxSkew { $skew } 希望每个尽量不超过 { $limit } 个。
spread-hard-few-domains = 最空的按 0 计：{ $wanted } 个域中只有 { $found } 个（minDomains { $wanted }）；maxSkew { $skew } 允许每个最多 { $limit } 个。
spread-soft-few-domains = 最空的按 0 计：{ $wanted } 个域中只有 { $found } 个（minDomains { $wanted }）；maxSkew { $skew } 希望每个尽量不超过 { $limit } 个。
full = 已满
full-hint = 放上这个 Pod，偏差会是 { $skew }
not-scored = 未打分
not-scored-hint = 那里没有节点能接收这个 Pod

making-room = 腾位置
nominated = 被提名
victims = 牺牲者：{ $pods }
may-stay = 可以留下：{ $pods }
victim = { $pod }（优先级 { $priority }）
no-pods = 无
against-budget = { $count } 个违反干扰预算

what-would-help = 怎样才行？
what-would-help-pod = { $pod } 怎样才行？
trying = 正在尝试各种改动
stop = 停止
try-on-branch = 在分支上试
try-remedy = 在分支上试：{ $remedy }
one-more-node = 给某一组加一个节点
nothing-found = 没有找到任何单独一项改动能让它得到调度。
nothing-can-be-tried = 无法尝试任何改动：{ $what }。把它加进文件里，就能得到答案。
nothing-found-foreign = 没有找到任何单独一项改动：调度器 `{ $scheduler }` 不在这里运行，而在运行的调度器也没有适合它的节点。
