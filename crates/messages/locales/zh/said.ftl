about-opening = 关于正在打开的内容
still-opening = { $count } 个问题。集群仍在打开。
about-opened = 关于打开的内容
all-notices = 全部 { $count } 项
read = 我已阅读
