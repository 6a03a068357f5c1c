close = 关闭
