editor = 编辑器
editor-beside = 集群旁边的编辑器
close = 关闭编辑器

begin-with = 从示例开始
examples = 示例
a-pod = 一个 Pod
spread = 按可用区分布的 Deployment
partition = 一个 StatefulSet 和一次网络分区
priorities = 优先级
lesson = 可继续编写的课程
paste-hint = 粘贴 kubectl get … -A -o yaml 的输出，或拖入文件。

found = 在文本中发现的内容
advice = 建议
gap = 空缺：请替换 ___
nothing-to-apply = 还没有可应用的内容：里面没有对象。
no-problems = 没有问题。
refused = 服务器拒绝了它
and-more = 以及另外 { $count } 项
time-stands = 时间停着：播放或单步前进，看看接下来的变化。

check-lesson = 检查课程
check-lesson-hint = 分别按解法、什么都不做、每种绕行做法各运行一遍，并指出要改的地方
apply-live = 边输入边应用
beside = 放在集群旁边
beside-hint = 一边是文本，另一边是它的效果
apply = 应用
apply-to-running = 应用到运行中的集群
start-anew = 用它重新开始
