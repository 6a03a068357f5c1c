asked-again = 再问一次
still-know = 还记得吗？
one-question = “{ $lesson }”中的一个问题，换一次你没见过的运行。
ask-me = 问我
not-now = 以后再说
