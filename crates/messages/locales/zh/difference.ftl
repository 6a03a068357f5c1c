new-problems = 新出现的问题
problems-gone = 已消失的问题
changed = 有变化
added = 新增
removed = 移除

nothing-differs = 没有差别。
problem = { $problem } { $object }：{ $reason }
moved = { $pod }：{ $from } -> { $to }
fields = { $object }：{ $fields }
fields-more = { $object }：{ $fields } 以及另外 { $more } 项
