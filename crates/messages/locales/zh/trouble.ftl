no-object = 没有 Node 对象
off = 机器已断电
off-short = 已断电
cut-off = 被切断
links-cut = 连接被切断
not-ready = 未就绪
cordoned = 已封锁
