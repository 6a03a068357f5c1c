story = 故事
step-of = 第 { $step } 步，共 { $count } 步
place-in-group = { $group } · { $step } / { $count }
place = { $step } / { $count }
waits-for-question = 时间停下来，等你回答第 { $step } 步的问题。
to-question = 转到问题

begins-when = 发生以下情况时，故事开始：
time-runs = 时间正在走。
time-stands = 时间停着。
skip-to-story = 跳到故事
let-time-run = 让时间走起来

your-answer = 你的回答
so-it-is = 实际如此
your-answer-right = 你的回答，答对了

try-it = 试一试
broken-at = 在 { $time } 没能保持：
broken-after = 。此后达到的都不算数。
back-to = 回到 { $time }

start-over = 重新开始
next-waits-for-answer = 回答之后才能进入下一步。
next-is-closed = 无法进入下一步：请退回去，或重新开始。
next-waits-for = 下一步要等：
show-me = 演示给我看
show-me-hint = 转到解法的下一条命令并执行它；你做过的保留为分支
step-before = 上一步
next = 下一步 ›
to-end = 结束 ›
