refused = { $node }：{ $reason }（{ $plugin }）。
alike = { $predicted } 和 { $chosen } 得分相同：由抽签决定。
points-more = { $plugin } 给 { $chosen } 的分比给 { $predicted } 的多 { $points } 分。

fits = 放得下
chosen = { $verdict } · 选中
separator = 、
sentence = { $text }。
