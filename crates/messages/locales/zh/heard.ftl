name = 发生的事
is-bound-to = 绑定到
other-things = 还发生了另外 { $count } 件事
goals-reached = 达到了 { $count } 个目标
question = 故事提出了一个问题，时间停下来等待
step = 可以阅读故事的第 { $number } 步了
