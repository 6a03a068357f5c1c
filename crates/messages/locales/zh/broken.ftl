close = 我已阅读，关闭
ways-back = 补救办法
processes-of-one-name = { $count } 个进程，1 个名字
broken-by = 被 { $cause } 打破
was-broken-by = 曾被 { $cause } 打破，持续 { $duration }
