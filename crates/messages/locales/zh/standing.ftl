place-unknown = 谁也说不清它能去哪里：{ $why }。

deleted = 它正在被删除，不会再调度；下面把它当作 Pending 来作决定。
deleted-on = 它正在节点 { $node } 上被删除，不会再调度；下面把它当作 Pending 来作决定。
deleted-held = 它正在被删除，但被 { $finalizers } 挡住，不会再调度；下面把它当作 Pending 来作决定。
deleted-on-held = 它正在节点 { $node } 上被删除，但被 { $finalizers } 挡住，不会再调度；下面把它当作 Pending 来作决定。

has-ended = { $how }。它不会再调度；下面把它当作 Pending 来作决定。
was-evicted = 它被驱逐了：{ $message }
has-succeeded = 它已完成（Succeeded）
has-failed = 它失败了
ended-for = 它已结束（{ $reason }）

is-placed = 它已经放在节点 { $node } 上；下面把它当作 Pending 来作决定。
is-gated = 它被调度门控 { $gates } 挡住：调度器不去看它。下面是没有门控时调度器会作的决定。
