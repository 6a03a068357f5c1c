goals = 目标
mistake-noted = 这一步出了差错。考试结束后的重放会说明是什么。

to-do = 待达到：
reached = 已达到：
missed = 未达到：

to-keep = 须保持：
kept = 已保持：
broken = 未保持：
