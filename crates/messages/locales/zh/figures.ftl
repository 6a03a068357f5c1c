figures = 数据
this-run = 本次运行
other-run = 另一次
plot = 各节点上请求的 { $resource }，从最满到最空
