console = 控制台
command = 命令
close = 关闭控制台
close-hint = 关闭（Esc）
completions = 补全

type-or-last = 输入命令，或按 ↑ 取上一条：{ $last }
type-command = 输入命令，例如 kubectl get pods

log = 执行过的命令和输出
empty-log = kubectl … 改变 API 服务器所保存的内容，fault … 改变它周围的世界。help 会列出两者。
lines = { $count } 行

manifests = 清单：按 Enter 应用，按 Esc 丢弃。
scenario = 场景：按 Enter 打开，当前会话会保留；按 Esc 丢弃。
open-document = 按 Enter 添加一行，最后一行结束输入；按 Esc 丢弃。
commands = { $count ->
   *[other] 按 Enter 执行这 { $count } 条命令，按 Esc 丢弃。
}
