pending = Pending
starting = 正在启动，{ $status }
running-ready = 运行中，已就绪
running-not-ready = 运行中，未就绪
terminating = 正在终止
terminating-unobserved = 正在终止，kubelet 还不知道；消息还没有传到 kubelet
terminating-unreachable = 正在终止，kubelet 还不知道；消息传不到 kubelet：谁也不知道它何时结束
terminating-prestop = 正在终止，preStop 回调正在运行；preStop 回调结束或宽限期限已到时，发送 SIGTERM
terminating-turn = 正在终止，等待轮到它：其他容器结束后才停止它
terminating-sigterm = 正在终止，已发送 SIGTERM；如果没有提前退出，宽限期限已到时发送 SIGKILL
terminating-killed = 正在终止，已发送 SIGKILL；进程结束，然后 kubelet 移除这个 Pod
crashing = 崩溃，等待下一次启动
succeeded = 已成功
failed = 已失败，{ $status }
ghost = API 已经忘记的进程
unconfirmed = 据 API 所知在运行；谁也无法确认

name = Pod { $pod }，{ $state }
of-owner = 属于 { $owner }
priority = 优先级 { $priority }

differs = 另一次运行中并非如此
