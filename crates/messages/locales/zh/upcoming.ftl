will-not-ready = { $count ->
    [1] { $name } 变为 NotReady
   *[other] { $count } 个节点变为 NotReady
}
will-evicted = { $count ->
    [1] { $name } 被驱逐
   *[other] { $count } 个 Pod 被驱逐
}
will-lease = { $count ->
    [1] 另一个进程取得租约 { $name }
   *[other] 另一个进程取得 { $count } 个租约
}
will-attempt = { $count ->
    [1] 调度器再次尝试 { $name }
   *[other] 调度器再次尝试 { $count } 个 Pod
}
will-back-off = { $count ->
    [1] { $name } 再次启动
   *[other] { $count } 个容器再次启动
}
will-probe = { $count ->
    [1] { $name } 的探针失败次数达到阈值
   *[other] { $count } 个容器的探针失败次数达到阈值
}
will-stop-signal = { $count ->
    [1] { $name } 的 preStop 回调时间用完
   *[other] { $count } 个容器的 preStop 回调时间用完
}
will-kill = { $count ->
    [1] { $name } 收到 SIGKILL
   *[other] { $count } 个容器收到 SIGKILL
}
will-exit = { $count ->
    [1] { $name } 自行结束
   *[other] { $count } 个容器自行结束
}
will-job = { $count ->
    [1] { $name } 创建 Job
   *[other] { $count } 个 CronJob 创建 Job
}
will-script = 场景继续
will-story = 故事继续
will-solution = { $count ->
    [1] 解法执行 { $name }
   *[other] 解法执行 { $count } 条命令
}

event-in = { $event }（{ $time } 后）
in-time = { $time } 后
events-in = { $event }（{ $time } 后），{ $then }（{ $then-time } 后）

was-not-ready = { $count ->
    [1] { $name } 变为 NotReady
   *[other] { $count } 个节点变为 NotReady
}
was-evicted = { $count ->
    [1] { $name } 被驱逐
   *[other] { $count } 个 Pod 被驱逐
}
was-lease = { $count ->
    [1] 租约 { $name } 换了持有者
   *[other] { $count } 个租约换了持有者
}
was-attempt = { $count ->
    [1] 调度器再次尝试了 { $name }
   *[other] 调度器再次尝试了 { $count } 个 Pod
}
was-back-off = { $count ->
    [1] { $name } 已再次启动
   *[other] { $count } 个容器已再次启动
}
was-probe = { $count ->
    [1] { $name } 的探针失败
   *[other] { $count } 个容器的探针失败
}
was-stop-signal = { $count ->
    [1] { $name } 收到停止信号
   *[other] { $count } 个容器收到停止信号
}
was-kill = { $count ->
    [1] { $name } 收到 SIGKILL，或在此之前已结束
   *[other] { $count } 个容器收到 SIGKILL，或在此之前已结束
}
was-exit = { $count ->
    [1] { $name } 已结束
   *[other] { $count } 个容器已结束
}
was-job = { $count ->
    [1] { $name } 创建了 Job
   *[other] { $count } 个 CronJob 创建了 Job
}
was-script = 场景继续了
was-story = 故事继续了
was-solution = { $count ->
    [1] 解法执行了 { $name }
   *[other] 解法执行了 { $count } 条命令
}

mark-evicted = 驱逐
mark-lease = 租约
mark-attempt = 再次尝试
mark-back-off = 重启
mark-probe = 探针失败
mark-exit = 结束
mark-script = 场景
mark-story = 故事
mark-solution = 解法

to-eviction = 驱逐
to-leader = 新的领导者
to-attempt = 下一次尝试
to-restart = 重启
to-probe = 探针失败
to-exit = 它的结束
to-job = 下一个 Job
to-script = 下一个事件
to-story = 故事
to-solution = 解法

stop = 停止
until = 到 { $time }
answer-first = 请先回答
time-waits = 时间在等你
next-page = 下一页
step = 第 { $step } 步
your-move = 轮到你了
next-decision = 下一个决定

skipping = 正在跳到 { $time }
looking = 正在寻找决定，最远到 { $time }
waits-for-answer = 时间停下来，等你回答故事的问题
story-goes-on = 故事继续
until-decision = 一直运行到调度器作出决定（n）

showing = 演示：{ $name }，{ $time }。
occurred = { $waited } 之后：{ $event }。
did-not-occur = { $waited } 之后：没有发生“{ $event }”。
story-went-on = { $waited } 之后：故事继续。
decided = { $waited } 之后：调度器作出了决定。
no-decision = { $waited } 之内没有作出任何决定，直到 { $time }：调度器在等 Pod，或者等对某个 Pod 有帮助的事情。
before-decision = { $waited } 之后：{ $event }，在此之前没有任何决定。
one-event = { $by }：{ $what }。
one-event-of = { $by }：{ $what } { $of }。
nothing-comes = 过了十分钟，什么也没有变：只要没有人做点什么，就什么也不会变。
