name = { $groups } 组共 { $nodes } 个节点；用方向键在节点间移动，按 Enter 选中
groups = 分组
all-groups = 所有分组

group-hint = { $nodes } 个节点，{ $pods } 个 Pod。只看这一组
not-ready = { $count } 个未就绪
pods = 个 Pod
