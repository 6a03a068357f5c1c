no-effect = { $field } 在这里不起作用
signal-without-effect = 驱逐信号 { $signal } 在这里不起作用
read-as = { $version } 按 { $served } 读取
no-preemption = disablePreemption: true 已改成不带 DefaultPreemption 的 profile
default-plugins = algorithmSource DefaultProvider 已改成默认插件
extenders = extender 是另外的进程：这里会校验它们的配置，但不会询问它们
