end = 结束
end-of-lesson = 本课结束
all-reached = 所有目标都已达到
predictions = 预测：{ $count } 个中答对 { $right } 个。
own-cluster = 在你自己的集群里：
try-also = 还可以试试：
read-on = 延伸阅读：
next-lesson = 下一课：{ $title } ›
course = 课程

end-of-task = 本题结束
noted = 你在本题中的操作已记录
shown-later = 怎样才对、为什么，考试结束后显示。
next-task = 下一题 ›
next-item = 下一项：{ $title } ›
to-exam = 返回考试
to-course = 返回课程
