counts = 试了 { $seeds } 个种子，其中 { $runs } 次运行里有保证被打破
none = { $wanted ->
    [bug] { $seeds } 个种子里没有找到 bug
    [violation] { $seeds } 个种子里没有保证被打破
   *[other] { $seeds } 个种子里 { $wanted } 都没有被打破
}

faults-left = { $faults } 个故障中留下 { $left } 个，其中 { $unrepaired } 个没有修复：有了它们，运行 { $times } 次，{ $times } 次都失败
no-fault-left-out = { $faults } 个故障中，一个也不能去掉
