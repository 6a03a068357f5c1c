title = 怎样才放得下 { $count } 个
none = 试过的办法都不行：解除节点的封锁、标签、污点，以及增加现有种类的节点。
ask = 为
ask-end = 个这样的 Pod 腾出位置
find = 怎样才放得下？
fits-then = 这样放得下 { $count } 个
do-it = 执行
