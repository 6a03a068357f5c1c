link-unreadable = 链接无法读取：{ $error }
run-of-namesake = 它作为“{ $claimed }”上交，而这次运行属于另一个同名的场景
run-of-another = 它作为“{ $claimed }”上交，而这次运行属于“{ $title }”
not-finished = 它声称课程已完成，而这次运行没有完成课程
no-hand-in = 里面既没有上交的结果（JSON），也没有链接（{ $prefix }…）
too-many-runs = 有 { $count } 次运行：最多评 { $limit } 次
problem = { $place }：{ $message }
