api-says = API：{ $status }
api-no-such-pod = API：没有这个 Pod
api-nobody-knows = API：谁也不知道
api-running-unsure = API：Running？
api-deleting = API：正在删除

runs = 在运行
still-runs = 仍在运行
runs-unheard = 在运行，没有消息
runs-not-told = 在运行，还没通知到
runs-cannot-be-told = 在运行，无法通知
has-ended = 已结束
has-ended-unheard = 已结束，没有消息
no-power = 断电：什么也没运行
nothing-runs = 什么也没运行
prestop-hook = preStop 回调
waits-for-turn = 等待轮到它
got-sigterm = 已收到 SIGTERM
got-sigkill = 已收到 SIGKILL

not-reported = 还没上报
sigterm-in = { $time } 后 SIGTERM
sigkill-in = { $time } 后 SIGKILL

not-ready = 未就绪
nobody-knows = 谁也不知道
next-start-in = { $time } 后再启动

both = { $api }；机器上：{ $process }
both-and-next = { $api }；机器上：{ $process }，{ $next }
