search-failed = 查找设备失败：{ $error }
pool-incomplete = 资源池 { $pool } 不完整：它的 ResourceSlice 没有全部发布
pool-invalid = 资源池 { $pool } 无效：它的 ResourceSlice 互相矛盾

request = 申领 { $claim } 的请求 { $request }
request-of-class = 申领 { $claim } 的请求 { $request }（设备类 { $class }）

gets = { $request }：得到 { $devices }
passed-over = { $request }：被跳过：用了 { $devices }，另一个请求能得到的设备就不够了
allocated = { $request }：已有 { $devices }
allocated-elsewhere = { $request }：已有 { $devices }，但这个节点用不了
no-device-published = { $request }：什么也得不到：没有驱动为这个节点发布设备
no-device = { $request }：什么也得不到：没有合适的设备
none-of = { $request }：要 { $asks } 个设备，没有一个合适
too-few = { $request }：要 { $asks } 个设备，只有 { $has } 个合适：{ $devices }
none-matches = { $request }：要所有匹配的设备，没有一个匹配
not-all = { $request }：要所有匹配的设备，结果什么也得不到：无法把它们全部拿到
both = { $one } 和 { $other }
and-unsuitable = { $request }；{ $devices }：{ $why }

with-details = { $device }（{ $details }）
amount = { $name } { $amount }
takes = 占用 { $set } 的 { $counter } { $takes }，剩余 { $left }

devices-and-more = { $more ->
    [0] { $devices }
   *[other] { $devices } 以及另外 { $more } 个
}

held = 被申领 { $claim } 占用
held-for-pods = 被 Pod { $pods } 的申领 { $claim } 占用
taken = 分给申领 { $claim } 的请求 { $request }
excluded-by-class = 被设备类 { $class } 的选择算符 { $index }（{ $expression }）排除
excluded-by-request = 被请求的选择算符 { $index }（{ $expression }）排除
class-selector-error = 设备类 { $class } 的选择算符 { $index }（{ $expression }）无法求值：{ $error }
request-selector-error = 请求的选择算符 { $index }（{ $expression }）无法求值：{ $error }
other-node = 不供这个节点使用
no-such-capacity = 没有容量 { $name }
capacity-policy = 它的策略不允许取 { $amount } 的 { $name }
too-little = { $name } 太少：要 { $asks }，只剩 { $left }
counter-too-low = 需要 { $set } 的 { $counter } { $takes }，只剩 { $left }
taint = 污点 { $taint } 未被容忍
no-attribute = 没有属性 { $attribute }，而某个约束要比较它
differs = { $attribute } 是 { $value }，而它必须与之一致的设备是 { $wanted }
repeats = { $attribute } 是 { $value }，与另一个设备相同，而两者必须不同
leaves-too-few = 用了它，其他请求能得到的设备就不够了

counter-of-set = { $set } 的 { $counter }
