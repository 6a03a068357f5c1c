node = { $node }：{ $why }
command-refused = 命令被拒绝：{ $error }
all-well = 执行之后一切正常。
not-reached = 执行之后什么也没坏，但没有达到题目的要求。
findings-after =
    执行三分钟之后：
    { $findings }
which-command-mends = 哪一条命令能修好它？
