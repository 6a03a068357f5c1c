containers = 容器
ready = 就绪
not-ready = 未就绪
restarts = 重启 { $count } 次
api = API
machine = 机器
rule = 规则
no-process = 没有进程
init = Init
sidecar = 边车

conditions = 状况
owned-by = 属主
volumes = 卷
termination = 终止
stage-from-to = { $stage } { $from } 至 { $to }
stage-until-now = { $stage } { $from } 至今
