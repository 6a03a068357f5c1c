partition = { $name } 被切断
slow = { $name } 的连接变慢
leave = { $name } 永远离开
shutdown = { $name } 关机
power-off = { $name } 断电
crash-kubelet = { $name }：它的 kubelet 崩溃
crash-runtime = { $name }：它的容器运行时崩溃
crash = { $component } 崩溃
second = 第二个 { $component } 以为自己是领导者
etcd-down = etcd 停止运行
exit = { $name }：它的一个进程退出
sandbox = { $name } 失去沙箱
detach = { $name } 从它的节点上被拿走
device = { $name }：它的一个设备变了
crash-driver = { $name }：它的设备驱动崩溃

power-on = { $name } 启动
not-slow = { $name } 的连接不再慢
etcd-up = etcd 恢复运行
component-starts = { $component } 启动
second-gone = 第二个 { $component } 消失
kubelet-starts = { $name }：它的 kubelet 启动
runtime-starts = { $name }：它的运行时启动
device-back = { $name }：它的一个设备恢复
driver-starts = { $name }：它的设备驱动启动
healed = { $name } 已恢复

cut = { $lost ->
    [incoming] partition { $node }（发给它的）
    [outgoing] partition { $node }（它发出的）
   *[both] partition { $node }
}
cut-from = { $lost ->
    [incoming] partition { $node }（{ $from } 发给它的）
    [outgoing] partition { $node }（它发给 { $from } 的）
   *[both] partition { $node }（与 { $from } 之间）
}

joined = { $node } 加入
cordoned = { $node } 被封锁
uncordoned = { $node } 解除封锁
fenced = { $node } 被隔离
unfenced = { $node } 解除隔离
corrupted = { $volume } 已损坏
tainted = { $node } 加上污点 { $taint }
untainted = { $node } 去掉污点 { $key }

evicted-by-taint = { $pod } 被驱逐：所在节点有污点
evicted-by-pressure = { $pod } 被 kubelet 驱逐：所在节点有压力
ended-by-shutdown = { $pod } 被 kubelet 结束：节点关机
evicted-by-api = { $pod } 经驱逐 API 被驱逐
removed-by-garbage-collector = { $pod } 被 Pod 垃圾收集器移除：所在节点已消失或停止服务
out-of-memory = { $pod }/{ $container } 内存用尽
exited = { $pod }/{ $container } 以退出码 { $code } 结束
restarted = { $pod }/{ $container } 重新运行
no-node = { $pod }：没有节点
nominated = { $pod } 被提名到 { $node }
preempted = { $pod } 被抢占

given-more = { $command }：{ $objects } 以及另外 { $more } 个
requests-failing = { $service } { $per-second }/s · 失败 { $failing }/s
