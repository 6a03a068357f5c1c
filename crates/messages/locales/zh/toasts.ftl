new-version = 新版本已就绪。
reload = 重新加载以使用
starting = 正在启动集群…你按下的操作会等它就绪。
close = 关闭
