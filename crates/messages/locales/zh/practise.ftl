practise = 练习
the-next-task = 下一题
nothing-is-due = 今天没有到期的内容。
due-topics = 有 { $count } 个主题到期。
give-task = 给我一道题
about-schedule = 每道题都是一个新集群，模拟的结果就是标准答案。每个主题先隔 1 天再出现，然后隔 6 天，之后间隔越来越长；答错了就从头开始（SM-2 规则）。各主题轮流出现。只保存在这台设备上。
loading = 题目随引擎的其余部分一起提供，仍在加载…

level = 第 { $level } 级 · { $due }
due-new = 新
due-today = 到期
due-tomorrow = 明天
due-in = { $days } 天后

end-of-task = 本题结束
rule = 规则
reasons = 每个回答及其原因
next-task = 下一题 ›
another = 再来一道同类的
harder = 来一道更难的
all-topics = 所有主题
