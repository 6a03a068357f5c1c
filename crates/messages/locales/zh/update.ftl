task-open = 打开
task-seek = 跳转
task-film = 动画
task-what-if = 假设推演

no-budgets = 文件中没有 PodDisruptionBudget：抢占和 `kubectl drain` 不会考虑干扰预算
no-nodes = 文件中没有 Node：Pending 的 Pod 面对的是一个虚构的六节点集群
only-names = 文件中没有 Node，所以谁也说不清 Pod 为什么是 Pending
one-namespace = 文件中的所有 Pod 都属于名字空间 { $namespace }：节点上运行的其他东西没有计入
cut = { $file } 在第 { $line } 行中间中断：读到了 { $count } 个对象，之后的内容缺失

link-long = 这个链接有 { $characters } 个字符；有些程序会截断超过 { $limit } 个字符的链接。用场景文件更稳妥。
link-too-long = 这个链接有 { $characters } 个字符；这么长的链接，不是每个浏览器都能打开。请保存为场景文件。

film-empty-span = 动画要取一段播放过的时间：终点必须晚于起点
film-too-large = 这段动画会超过 { $mib } MiB：请取短一些的时间段，或小一些的集群
