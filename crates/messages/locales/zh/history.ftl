with-names = { $notice }：{ $names }

cut = 有 { $count } 份历史的最后一条记录不完整，已略去
watch-error = 有 { $count } 个 watch 因错误而结束；此后发生的事不在历史里
no-types = 有 { $count } 个 watch 流没有事件类型（--output-watch-events），所以只知道带有 deletionTimestamp 的对象是何时删除的
before-start = 有 { $count } 次写入早于 t = 0，不重放
incomplete = 有 { $count } 次写入不重放，因为它们的审计事件里没有对象（级别是 Metadata）
never-seen = 有 { $count } 次写入不重放，因为在那之前的文件里没有它们的对象；把开始时的集群导出，与历史一起打开，就有了
not-whole = 开始时的对象中有 { $count } 个无法读取，已略去
seen-late = 有 { $count } 个对象第一次出现时已经改动过；在 t = 0 就用它们那时的样子
node-lost = 有 { $count } 个节点变成了 Unknown。原因不在历史里：机器重启过的，按断电重放；其他的，一律按网络分区重放，从节点变成 Unknown 之前 50 s（nodeMonitorGracePeriod）开始
node-unready = 有 { $count } 个节点上报自己未就绪；原因不在历史里，所以不重放
node-gone = 有 { $count } 个 Node 被删除；当作它们的机器已经离开
named-by-simulation = 有 { $count } 次写入不重放，因为它们涉及的对象在模拟中另有名字
unknown-deleter = 有 { $count } 个 Pod 结束了，历史没有说明是不是它们的控制器删除的；这里假定是
owner-unknown = 有 { $count } 个对象当作由用户创建，因为文件里没有它们的属主
undated = watch 流中有 { $count } 处改动没有时间；用的是下一条有时间的记录的时间
patch-type = 有 { $count } 次 patch 当作 strategic merge patch，kubectl 发送的就是这种：审计事件没有说明类型
restarts = 有 { $count } 次容器重启不重放，因为原因不在历史里
lifetimes = 有 { $count } 份 SimKube 跟踪记录写有 Pod 运行了多久，这一点不重放
no-nodes = 历史里没有 Node，所以节点是生成的
autoscaler-scales = HorizontalPodAutoscaler 有 { $count } 次改动副本数，当作命令来重放，因为它们的指标不在历史里
not-simulated = 有 { $count } 次写入不重放，因为那些类型的对象不模拟
no-name = 有 { $count } 条记录没有有效的 kind 或名字，已略去
by-simulation = 有 { $count } 次组件的写入不重放，因为模拟自己会写

beside-scenario = 历史本身会变成一个 Scenario：不能与另一个 Scenario 一起打开
too-long = 历史有 { $count } 条命令：最多 { $limit } 条；请打开其中时间较短的一段
