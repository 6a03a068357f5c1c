details = 详情
close = 关闭详情
close-hint = 关闭（Esc）
legend = 图例
close-legend = 关闭图例

why-here = 为什么在这里？
life = 生命期
events = 事件
yaml = YAML
hidden-answer = 回答之后显示。
no-events = 没有事件。

what-can-be-done = 可以做什么
what-if-it-goes = 它没了会怎样？
how-many-more-fit = 还放得下几个？
