name = 集群。用方向键在节点和 Pod 之间移动，按 Enter 选中。
keys-hint = 方向键：节点和 Pod · Enter：详情 · Del：删除
all-zones = 所有可用区
zone = 可用区
machines-without-node = 没有 Node 对象的机器
no-node-object = 没有 Node 对象
