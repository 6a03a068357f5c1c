to-cluster = 返回集群
title = Kubernetes 保证什么
intro = Pod 是它的进程的一次运行：被创建，绑定到一个节点，在那里执行，结束，消失。下面是关于这一生的各项保证：每一项由谁来守，又会被什么打破。在每次运行的每个时刻，Podscope 都会检查全部保证；哪一项被打破，就会在画面上指出，并说明是哪条命令或哪个故障打破的。
kept-by = 由谁守护
broken-by = 被什么打破
always = 始终
in-the-end = 最终
see-it = 看一看：{ $lesson }
