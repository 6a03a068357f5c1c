task = { $title }（种子 { $seed }，第 { $level } 级）

right = 答对了。{ $why }
wrong = 答错了。{ $why }
right-answer = 正确答案是 { $answer }。{ $why }
rule = 规则：{ $rule }

next = 接下来（按 SM-2 规则）：
level = 第 { $level } 级
due = { $days ->
    [0] 今天
    [1] 明天
   *[other] { $days } 天后
}
