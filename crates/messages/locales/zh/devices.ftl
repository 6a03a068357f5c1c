devices = 设备
counted = { $count } 个设备：{ $counts }
held = { $count } 个被占用
shared = { $count } 个共享
blocked = { $count } 个被阻塞
tainted = { $count } 个有污点
free = { $count } 个空闲

taint = 污点
blocked-other-devices = 被阻塞：其他设备用完了
held-by = 占用者：
share-held-by = 其中一份的占用者：
reserved-for-none = 没有为任何 Pod 保留
for-pods = 供 { $pods } 使用
