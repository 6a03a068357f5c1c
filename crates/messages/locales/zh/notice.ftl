time-is-paused = 时间停着：播放或单步前进，看看接下来的变化。
waits-for-answer = 时间在等你回答：请在故事中选择一个答案，或按“我不知道”。
command-waits-for-answer = 时间在等你回答故事中的问题：这条命令带来的变化，回答之后才会到来。
nothing-to-undo = 这条分支上没有可以撤销的命令
no-solution = 这个故事没有可以从这里播放的解法。
piped-late = error: 管道只能接收立刻输出的内容；这条命令的应答要等时间走起来才会到来

request-waits = { $what }：等待到达 { $until }
request-dropped = 未执行，没有到达 { $until }：{ $what }
too-many-wait = 未执行：已有 { $most } 个请求在等待到达 { $until }

play = 播放
step = 下一个事件
next-decision = 下一个决定
skip = 跳过
fork = 分支
undo = 撤销
remedy = 补救办法
seek = 转到另一个时刻

lines-wait = 等待 `{ $command }` 结束：{ $lines }。按 Ctrl-C 结束它，并丢弃等待的内容。
lines-dropped = 未执行：{ $lines }
too-many-lines = 未执行：最多只能有 { $most } 行等待
lines = { $more ->
    [0] { $first }
   *[other] { $first } 以及另外 { $more } 行
}

limit-branches = 一个会话最多有 { $most } 条分支
limit-commands = 一条分支最多有 { $most } 条命令
limit-records = 一次运行最多有 { $most } 条记录：运行到此为止

goal-invariant = 保证没有字段；请在文件中写 `always`。
goal-no-object = 现在没有这个对象。
goal-no-field = 这一行没有字段。
goal-unsupported-field = 这个字段不能作为目标。
goal-differs-per-run = 没有读者能达到这个目标：每次运行都会给这个字段一个不同的值。
goal-drawn-name = 没有读者能达到这个目标：每次运行都会随机抽取这个 Pod 的名字。这种 Pod 的阶段、节点、就绪和标签可以作为目标，适用于带有同样标签的所有 Pod；也可以选它属主的字段。

other-engine = 这个链接由引擎 { $maker } 生成；这里是 { $own }，它在 { $before } 之前的某处作出的决定有所不同。
other-engine-followed = 这个链接由引擎 { $maker } 生成，那个引擎依照 Kubernetes { $followed }；这里是 { $own }，它在 { $before } 之前的某处作出的决定有所不同。
