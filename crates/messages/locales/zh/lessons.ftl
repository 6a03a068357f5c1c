title = 课程与场景
loading = 课程随引擎一起提供，引擎仍在加载…

course = 课程
done-of = 已完成 { $done } / { $count }
lessons-done = 已完成的课
begin-with = 开始：{ $title }
continue-with = 继续：{ $title }
on-this-device = 只保存在这台设备上。
save = 保存为文件
forget = 清除
load = 加载文件
cannot-save = 无法保存 { $file }
none-loaded = 该文件里没有已完成的课
loaded = 已加载 { $count } 节已完成的课

free-play = 自由演练
about-free-play = 一个小小的活集群，没有既定的步骤
practise = 练习
about-practise = 做不完的题，每题一个新集群
exam = 考试
about-exam = 十六道题，90 分钟
your-own = 自己编写
about-your-own = 编写或粘贴清单和场景
terms = 术语
about-terms = 课程中各个词的意思
a-file = 文件
about-a-file = 场景，或从真实集群导出的内容

find = 查找课程
find-hint = 按 Enter 打开第一个
what-do-you-see = 你看到了什么？
no-matches = 没有包含这些词的课。
matches = { $count } 节课

group-done = { $group } · { $done } / { $count }
minutes = { $minutes } 分钟
minutes-after = { $minutes } 分钟 · 先学 { $lessons }
