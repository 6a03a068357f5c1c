why = 原因：{ $why }。
scheduler-says = kube-scheduler 说：{ $message }
scheduler-said = kube-scheduler 在集群里说过：{ $message }

nodes = 节点
fits = 能接收
refused = 拒绝

devices = 设备
device-error = 错误：{ $error }
incomplete-pool = 资源池 { $pool } 不完整
invalid-pool = 资源池 { $pool } 无效

scores = 得分（已加权）
node = 节点
total = 总分

spread = 按 { $key } 的分布（{ $kind }，maxSkew { $skew }，最空的域有 { $fewest } 个）
spread-too-few = 按 { $key } 的分布（{ $kind }，maxSkew { $skew }，最空的域有 { $fewest } 个：按 0 计，{ $least } 个域中只有 { $found } 个）
skew = 加上这个 Pod，偏差为 { $skew }
not-scored = 不打分：那里没有节点能接收这个 Pod
within-limit = 没有超出上限
too-many = 太多
above-limit = 超出上限，但只影响得分

preemption = 抢占：{ $what }
candidate = { $node }：牺牲者 { $victims }；可以留下的：{ $reprieved }；违反 PodDisruptionBudget 的次数：{ $violations }
victim = { $pod }（优先级 { $priority }{ $budgets }）
budget = ，预算 { $name } 允许 { $allowed } 次干扰
no-pods = 无

groups = 节点组（cluster autoscaler 的模型）
ended = 已结束的容器
