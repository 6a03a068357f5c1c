progress = 进度
answered-of = 已答 { $done } / { $count }
done-of = 已完成 { $done } / { $count }
answered = 已答
done = 已完成
begin-with = 开始：{ $title }
continue-with = 继续：{ $title }
your-name = 你的姓名或编号
hand-in = 保存要上交的文件
leave = 离开课程
about-file = 只保存在这台设备上。文件里有每次运行的链接，评分的人会重放这些运行。
replay = 重放
replay-of = 重放“{ $title }”
place = { $number } / { $count }

task-answered = 已答
task-begun = 已开始
score = { $percent }%
with-weight = { $state } · 权重 { $weight }
not-tried = 未作答 · 权重 { $weight }

about-exam = { $minutes } 分钟，得分达到 { $pass }% 即通过。题目的各部分分别计分。提示和“演示给我看”不可用。
about-exam-with-hints = { $minutes } 分钟，得分达到 { $pass }% 即通过。题目的各部分分别计分。提示和“演示给我看”可用。
begin-exam = 开始考试
end-exam = 结束考试
left = 还剩 { $minutes } 分钟。
left-short = 还剩 { $minutes } 分钟

end-exam-now = 现在结束考试吗？
all-answered = 所有题目都已作答。
not-answered = 有 { $count } 道题未作答：{ $tasks }。
left-before-end = 还剩 { $minutes } 分钟。结束后无法再作任何修改。
go-on = 继续考试
end-it = 结束

passed = 已通过：得分 { $percent }%；要求 { $pass }%。
not-passed = 未通过：得分 { $percent }%；要求 { $pass }%。
about-replay = 每个重放都会显示你的运行，以及每个回答和原因。
begin-again = 重新开始
