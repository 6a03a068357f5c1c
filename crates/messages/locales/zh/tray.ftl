name = Pending 的 Pod
name-other-run = Pending 的 Pod，另一次运行
hidden = 它在等什么，回答之后显示
pending = { $count } 个 Pending：
pending-heading = Pending { $count }
what-would-help = 怎样才行？

pods-of-cause = { $count } 个 Pod：{ $cause }
found-pods-of-cause = { $count } 个 Pod 中的 { $found } 个：{ $cause }
most-frequent-cause = { $all } 个中有 { $count } 个：{ $cause }
more-pods = 以及另外 { $count } 个因其他原因等待的 Pod
show-fewer = 收起
show-fewer-causes = 收起部分原因
