control-plane = 控制平面
control-plane-other-run = 控制平面，另一次运行
api-server = API 服务器
api-short = API
scheduler-short = 调度
controllers-short = 控制
attacher-short = 挂接
fencing-short = 隔离
action-on = { $component }：{ $action }

leader = （领导者）
standby = （待命）
down = （已停止）
unreachable = （联系不上）

broken = { $guarantee } 被打破
was-broken = { $guarantee } 曾被打破
since = 于 { $instant }
since-for = 于 { $instant }，持续 { $duration }
guarantees-broken = 项保证被打破
guarantees-were-broken = 项保证曾被打破
heal-everything = 全部恢复
heal-everything-hint = 恢复 { $count } 个节点的所有被切断的连接

what-is-drawn = 画面内容
whose-picture = 谁眼中的画面
api = API
api-hint = 只显示 API 服务器以为的情况
both = 两者
both-hint = 显示 API 服务器以为的情况，以及机器与之不同的地方
machine = 机器
machine-hint = 只显示实际在运行的
group-by = 节点分组
group-by-label = 按标签给节点分组
zone = 可用区
zone-by-topology = 可用区（topology…）
zone-by-label = zone（标签）
key-of-constraint = { $key }（其约束）
