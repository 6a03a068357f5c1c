find = 查找 Pod 和节点
placeholder = 名称、标签、状态、属主、节点、镜像或 IP
hint = 按 Enter 到下一个，按 Shift + Enter 到上一个
close = 重新显示全部
found = { $pods } 个 Pod，{ $nodes } 个节点
