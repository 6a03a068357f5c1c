solved = 已完成
guessed = 已完成，有过错误的预测
hinted = 已完成，用了提示
shown = 已完成，用了“演示给我看”
