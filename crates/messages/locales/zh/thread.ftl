what-led-here = 来龙去脉
left-out = 更早的记录从略。
