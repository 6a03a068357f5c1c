binds = 绑定
creates = 创建
nominates = 提名
preempts = 抢占
taints = 加污点
evicts = 驱逐
deletes = 删除
