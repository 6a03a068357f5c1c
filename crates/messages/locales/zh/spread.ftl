pods-in-domains = { $count } 个域中各有 { $least } 至 { $most } 个 Pod

skew-no-constraint = 偏差 { $skew }，没有约束
skew-hard = 偏差 { $skew }，最多 { $limit }
skew-soft = 偏差 { $skew }，尽量不超过 { $limit }
skew-hard-few-domains = 偏差 { $skew }，最多 { $limit }；最空的按 0 计：{ $wanted } 个域中只有 { $found } 个
skew-soft-few-domains = 偏差 { $skew }，尽量不超过 { $limit }；最空的按 0 计：{ $wanted } 个域中只有 { $found } 个

title = { $owner } 按 { $key } 的分布
no-constraint = 没有约束：显示其属主的 Pod 在哪里运行。
hard = maxSkew { $limit }：Pod 只能放到这样的地方：放上之后，最满的域最多比最空的多 { $limit } 个。没有谁会搬动正在运行的 Pod。
soft = maxSkew { $limit }，ScheduleAnyway：调度器优先选择符合它的域。
