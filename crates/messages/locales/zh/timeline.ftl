name = 时间轴
time = 时间

faults = 故障
commands = 命令
decisions = 决定
terminations = 终止
requests = 请求
guarantees = 保证
spread = 分布
spread-of = { $owner } 的分布
lanes = 轨道
as-lists = 以列表显示轨道
as-lists-sr = 以列表显示轨道：

zoom-in = 放大
zoom-out = 缩小
see-all = 显示全部
legend = 图例
legend-hint = 各种标记的意思，以及刚才发生的事

event-at = { $event } · { $instant }
event-from-to = { $event } · { $from } 至 { $to }
several-here = 这里有 { $count } 项，最后一项：{ $last }

main = 主线
branch = 分支 { $number }
branch-hint = 分支 { $number }：{ $label }
branches = 分支
leaves-at = 在 { $instant } 分出
compare = 比较
compare-hint = 与 { $branch } 比较：并排，用同一个时钟
compare-no-commands = 与不执行命令时比较
compare-no-commands-hint = 并排，用同一个时钟和同一个种子：本次运行，以及不执行命令的同一次运行
