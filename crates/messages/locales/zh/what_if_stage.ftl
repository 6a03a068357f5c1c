would-go = { $pod } 会去 { $node }
would-stay = { $pod } 会停在 Pending
now-on = 现在在 { $node } 上

drained-short = 腾空
drained = 会被腾空
off-short = 断电
off = 会断电
would-come = 会来 { $count } 个
can-go = 可以撤掉
more-fit = { $count ->
    [0] 一个也放不下了
   *[other] 还放得下 { $count } 个
}
