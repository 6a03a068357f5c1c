hints = 提示
run-it = 执行
more = 提示 { $number } / { $count }
