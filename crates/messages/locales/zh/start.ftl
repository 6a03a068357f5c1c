title = 六台机器，一个控制平面，活在这个标签页里。
subtitle = 看看 Kubernetes 以为怎样，实际又怎样。
free-play = 自由演练
cut-node = 切断一个节点
start-course = 开始课程
my-pod-is-pending = 我的 Pod 一直是 Pending
close = 关闭此介绍

in-terminal = 在能连到你的集群的终端里执行：
copy = 复制
copied = 已复制
cannot-copy = 浏览器无法复制：请选中文本
kinds-hint = 你的集群不提供的类别可以去掉。内容只留在这个浏览器里。
paste-hint = 把输出粘贴到这里，或把文件拖到页面任意位置：
paste = 在此粘贴你的集群
open-it = 打开
choose-file = 或选择文件
select-hint = 选中那个 Pod：开头几句就说明原因，以及怎样才行。
