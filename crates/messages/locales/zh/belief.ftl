no-such-node = 不知道有这个节点
ready = Ready
ready-last-heard = Ready，上次心跳在 { $time } 前
notready-since = 自 { $instant } 起为 NotReady
not-ready-since = 自 { $instant } 起未就绪

notready-at = { $instant } 变为 NotReady
nobody-judges-down = 没有谁来判断：{ $component } 已停止
nobody-judges-no-leader = 没有谁来判断：控制器管理器还没有领导者
evicts = { $instant } 驱逐 { $count } 个 Pod
evicts-more = { $instant } 再驱逐 { $count } 个
evicts-later = 之后还有 { $count } 个
