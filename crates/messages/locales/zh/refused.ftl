and-more = { $problem }（以及另外 { $count } 个问题）
no-lesson = 没有这一课：{ $name }
no-family = 没有这个练习主题：{ $name }
no-families = 没有任何练习主题
no-course = 没有这门课程：{ $name }
no-task = 用种子 { $seed }、第 { $level } 级，抽不出恰好有一个正确答案的题目
