skip-to = 跳到
