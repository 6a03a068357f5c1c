unreadable = 无法读取引擎的应答：{ $error }
