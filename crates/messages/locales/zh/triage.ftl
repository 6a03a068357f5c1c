title = 哪里出了问题
worst-first = 哪里出了问题，最严重的在前
show = 显示它
problems = { $count } 个问题

looking = 正在查找…
namespace = 名字空间
all = 全部
none = 无（集群级）
rows = { $rows } 行，涉及 { $objects } 个对象，{ $time } 时
look-again = 重新查找
copy = 复制
copied = 列表已复制为 Markdown。
nothing-wrong = 从对象上看，没有任何问题。
and-more = 以及另外 { $count } 项；“复制”会包含全部
