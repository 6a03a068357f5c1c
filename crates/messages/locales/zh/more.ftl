title = 更多

time = 时间
next-event = 下一个事件
next-decision = 下一个决定
back-to-mark = 回到上一个标记
back-to-start = 回到开头
branch = 分支：保留这个未来，从这里继续

page = 页面
find = 查找 Pod 和节点
legend = 图例：各种标记的意思
console = 控制台
editor = 编辑器
files = 文件
consolidate = 哪些节点可以撤掉？
search = 查找打破保证的运行
triage = 哪里出了问题
notices = 关于打开的内容（{ $count }）
guarantees = 保证
worksheet = 学习单：本课的纸质版
class = 班级：交上来的运行
present = 在课堂上演示
theme = { $theme ->
    [light] 主题：浅色
    [dark] 主题：深色
   *[other] 主题：跟随系统
}
help = 帮助与快捷键
