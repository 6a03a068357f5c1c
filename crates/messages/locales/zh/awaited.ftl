outcome = 结果
change = { $object } 的变化
change-among = { $objects } 之中的变化
either = { $one } 或 { $other }
requests = 发给 { $service } 的请求
anything = 接下来的事
not-before = { $what }，不早于 { $time }
