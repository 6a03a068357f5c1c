messages = { $count } 条消息
more-than-dots = 消息比圆点多
