no-such-object = API 服务器没有这个对象。在运行的是一个没有记录的进程。
copy = 复制
copied = 已复制。
cannot-copy = 浏览器不允许在这里复制。

pick-goal = 点按一个字段，把它和它现在的值设为目标。
make-goal = 设为目标：{ $field }
