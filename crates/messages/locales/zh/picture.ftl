broken = 于 { $time } 被 { $cause } 打破：{ $violation }。

cause-command = 命令
cause-fault = 故障
cause-bug = 程序错误
