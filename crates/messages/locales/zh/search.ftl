title = 查找打破保证的运行
intro = 每次运行各有不同的故障，之后是一段平静的时间，由场景的 `spec.search` 规定。你自己的运行不会改变。
runs = 运行次数
from-seed = 起始种子
stop = 停止
search = 查找
tried-runs = 已试的运行
tried = { $runs } 次运行中已试 { $tried } 次，{ $broken ->
        [0] 没有保证被打破
       *[other] { $broken } 次打破了保证
    }。
tried-and-shrinks = { $runs } 次运行中已试 { $tried } 次，{ $broken ->
        [0] 没有保证被打破
       *[other] { $broken } 次打破了保证
    }；正在寻找最短的…
guarantee = 保证
runs-that-break = 打破它的运行

shortest = 最短的运行
shortest-broke = “{ $guarantee }”在种子为 { $seed } 时于 { $at } 被打破：
shortest-broke-end = 。
by = 打破者：
open-run = 打开这次运行
