broken-as-well = 同时被打破
restored = 于 { $at } 恢复，此前被打破了 { $duration }。

ways-back = 补救办法
back-to = 回到 { $at }
before-command = 就在
before-command-end = { " " }之前：你在那里做的，是时间的另一条走向；这一条会保留。
before-violation = 就在被打破之前：你在那里做的，是时间的另一条走向；这一条会保留。
undo = 撤销上一条命令
undo-hint = 运行会继续，就像没有执行过这条命令。
heal-all = 全部恢复
heal-all-hint = 恢复所有被切断的连接。
heal = 恢复 { $node }
heal-hint = 它的 kubelet 会得知这期间的决定，并结束不该由它运行的东西。
power-off = 给 { $node } 断电
power-off-hint = 隔离：在那里运行的必定结束。
