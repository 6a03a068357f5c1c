from = 从 { $time } 起
from-what = 从 { $time } 起，{ $what }
until = 最晚到 { $time }
until-what = 最晚到 { $time }，{ $what }
never = 从不发生“{ $what }”
kept = 直到最后：{ $statement }
and = ，并且

object-in = { $namespace } 中的 { $object }
exists = { $object } 存在
is-gone = { $object } 已消失
has-node = { $object } 有节点
has-no-node = { $object } 没有节点
placed-on = { $object } 放置在 { $node } 上
placed-elsewhere = { $object } 放置在 { $node } 以外的节点上
phase = { $object } 是 { $phase }
not-phase = { $object } 不是 { $phase }
deleting = { $object } 正在被删除
not-deleting = { $object } 存在，而且不在删除之中
cordoned = { $object } 已封锁
not-cordoned = { $object } 未被封锁
nominated-to = { $object } 被提名到 { $node }
nominated = { $object } 被提名到一个节点
priority = { $object } 的优先级为 { $priority }
generation = { $object } 的 spec 是第 { $generation } 代
revision = { $object } 处于修订版本 { $revision }
ready = { $object } 已就绪
not-ready = { $object } 未就绪
containers-ready = { $object } 的容器都已就绪
unschedulable = 调度器没有为 { $object } 找到节点
condition-is = { $object } 的状况 { $name } 为 { $status }
condition-is-not = { $object } 的状况 { $name } 不是 { $status }
condition-reason = { $object } 的状况 { $name } 的原因为 { $reason }
has-taint = { $object } 有效果为 { $effect } 的污点
has-no-taint = { $object } 没有效果为 { $effect } 的污点
has-label-value = { $object } 带有标签 { $name }={ $value }
has-label = { $object } 带有标签 { $name }
has-no-label = { $object } 没有标签 { $name }
restarted = { $object } 有容器被重启过
restarted-times = { $object } 有容器被重启过至少 { $times } 次
container-waits = { $object } 有容器在等待：{ $reason }
container-ended = { $object } 有容器已结束：{ $reason }
has-reason = { $object } 的原因为 { $reason }
has-image = { $object } 的镜像为 { $image }
has-grace = { $object } 的宽限期限为 { $seconds } s
has-field = { $object } 有 { $path }
has-no-field = { $object } 没有 { $path }
field-is = { $object } 的 { $path } 为 { $number }
field-is-not = { $object } 的 { $path } 不是 { $number }

wants-pods = { $object } 想要 { $number } 个 Pod
wants-healthy-pods = { $object } 想要 { $number } 个健康的 Pod
has-pods = { $object } 有 { $number } 个 Pod
has-ready-pods = { $object } 有 { $number } 个就绪的 Pod
has-available-pods = { $object } 有 { $number } 个可用的 Pod
has-latest-pods = { $object } 有 { $number } 个最新模板的 Pod
has-failed-pods = { $object } 有 { $number } 个失败的 Pod
has-succeeded-pods = { $object } 有 { $number } 个成功的 Pod
has-healthy-pods = { $object } 有 { $number } 个健康的 Pod

no-objects = { $objects } 一个也没有
objects = { $objects } 有 { $number } 个
not-objects = { $objects } 的数目不是 { $number }
same-objects = { $objects } 保持原样：没有少，也没有多

or = { " " }或{ " " }
named = { $objects } { $names }
labelled = { $labels } 的 { $objects }
in-phase = { $phase } 的 { $objects }
on-node = { $node } 上的 { $objects }
with-field = { $field } 的 { $objects }
in-namespace = { $namespace } 中的 { $objects }
in-all-namespaces = 所有名字空间中的 { $objects }
serving = 就绪且不在删除之中的 { $objects }

no-request = 发往 { $service } 的请求：0{ $which }
one-request = 发往 { $service } 的请求：1{ $which }
requests = 发往 { $service } 的请求：{ $number }{ $which }
not-requests = 发往 { $service } 的请求：不是 { $number }{ $which }

that-failed = 个失败
with-outcome = 个结果为 { $outcome }

between = { $least } 至 { $most }
at-least = ≥ { $least }
at-most = ≤ { $most }
