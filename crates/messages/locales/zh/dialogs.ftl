refused = 无法打开
nothing-changed = 正在运行的会话没有任何改变。
open-another = 打开其他文件
to-editor = 转到编辑器
go-on = 继续当前会话

terms = 术语

confirm = 确定吗？
leave-it = 算了
do-it = 我明白，执行

only-this-zone = 只看这个可用区
what-if-it-goes = 它没了会怎样？

no-marks = 还没有标记。
from-to = { $from } 至 { $to }
from-until-now = { $from } 至今
earlier = 以及更早的 { $count } 项

help = 帮助与快捷键
help-hint = 每个 Pod 是一个方块：颜色表示属主是谁，形状表示状态如何。选中一个，问问它为什么在那里。弄坏点什么，看看 API 服务器以为怎样，机器上实际怎样。
shortcuts = 快捷键
single-keys = 启用单键快捷键
browsers = 一切都留在这个浏览器里。Podscope 可在 Chrome 123、Edge 123、Firefox 120、Safari 17.5 及更高版本中运行。
licences = 许可证
guarantees = 保证

notices = 关于打开的内容
read-and-kept = 已读取并保留
advice = 建议

engine-stopped = 引擎已停止
engine-stopped-hint = 这是 Podscope 的错误，不是你的错。会话在片刻之前已保存。
rest-not-loaded-hint = 上一条命令所需的部分未能加载。会话已在此之前保存；继续时会重试。
start-empty = 从空会话开始
go-on-saved = 继续已保存的会话

sessions = 此浏览器保留的会话
name-of-this = 此标签页的会话名称
name-of = { $name } 的名称
name-hint = 随意取名
this-tab = 此标签页
open = 打开
open-session = 打开 { $name }
save-link = 保存 { $name } 的链接
save-link-hint = 把它的链接保存为文件
forget-this = 清除这个集群
forget-this-hint = 此浏览器不再保留它的任何内容
forget = 清除 { $name }
forget-hint = 清除

files = 文件
open-files = 打开
open-files-hint = 场景、清单，或 `kubectl get … -A -o yaml` 的输出。文件也可以拖到页面任意位置。
compare = 用相同的种子比较
second-scenario = 与当前场景并排运行的第二个场景
two-ways = 两种做法
without-commands = 同一场景，不执行命令

save = 保存
save-session = 会话
save-session-how = 场景文件
save-lesson = 课程
save-lesson-how = 把你做过的事写成步骤，可继续编写
record = 录制课程
record-how = 点按字段即可设为目标
save-objects = 对象
save-objects-how = YAML
save-trace = 跟踪记录
save-trace-how = JSON Lines
save-drawing = 矢量图
save-drawing-how = SVG
save-picture = 图片
save-picture-how = PNG
