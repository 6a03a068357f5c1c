takes-it = { $group }：再加一个节点就能接收它
would-take-it = { $group }：{ $reasons }；要是能再加一个节点，就能接收它
does-not-help = { $group }：{ $reasons }
event = 事件：{ $message }
fits-on = { $nodes } 上放得下：不必扩大任何节点组
fits-on-more = { $nodes } 和另外 { $more } 个节点上放得下：不必扩大任何节点组

none-helps = 没有节点组能帮上忙；cluster autoscaler 会说：{ $message }
one-helps = 给节点组 { $group } 再加一个节点
several-help = 给其中一个节点组再加一个节点：{ $groups }
