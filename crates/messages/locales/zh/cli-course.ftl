exam = 考试：{ $minutes } 分钟，得分达到 { $pass }% 即通过
of-site = { $path }（在网站上）
own-lesson = 课程自带的一课
practice = 练习 { $family }，种子 { $seed }，第 { $level } 级
weighted = { $item }，权重 { $weight }
