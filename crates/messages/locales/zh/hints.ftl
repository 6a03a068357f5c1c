second-map = 这个冒号在同一行上又开始了一个映射：请给文本加上引号，或者让这一行与上一行的缩进一致。
key-needed = 这里需要一个键：请让这一行与同一映射的其他键从同一列开始。
item-needed = 这里需要一个列表项：请以 - 开头，并与同一列表的其他项从同一列开始。
map-open = 在这之前需要逗号或 { "}" }：有一个花括号映射还没有结束。
list-open = 在这之前需要逗号或 ]：有一个方括号列表还没有结束。
value-needed = 这里需要一个值。
colon-needed = 这个键后面需要冒号和空格。
quote-needed = 这里开始的引号，在文本末尾还需要一个。
no-tabs = 这里要用空格：YAML 从不用制表符缩进。
wrong-start = 这里需要空格或引号：缩进不用制表符，不加引号的文本也不能以 @ 或 ` 开头。

unknown-field = 这里没有这个字段：请检查拼写，以及这一行的缩进。
required = 这个字段必填。
no-quantity = 数量是带单位的数：500m、2、128Mi、1Gi。
selector = 选择算符凭标签找到它的 Pod：模板里要有同样的标签。
no-name = 只能用小写字母、数字和 -，首尾必须是字母或数字。
unsupported = 只接受那里列出的值；区分大小写。
unserved = kind 和 apiVersion 是配套的：请检查这两个字段。
no-text = 这个字段要文本：请给值加上引号。
other-type = 这个字段要另一种类型的值：不带引号的数、true 或 false、列表或映射。
duplicate = 已经有同名的了：同一列表中的名字不能重复。

gaps-left = { $count ->
   *[other] 还剩 { $count } 处空缺：请替换每个 ___
}
