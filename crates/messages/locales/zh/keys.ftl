time = 时间
play-or-pause = 播放或暂停
next-event = 下一个事件
next-decision = 运行到下一个决定
mark-before = 回到上一个标记
speed = 减速、加速
to-start = 回到开头
branch = 分支：保留这个未来，从这里继续
undo = 撤销上一条命令

cluster = 集群
nearest = 到最近的 Pod 或节点
select = 选中；再按一次：查看详情
menu = 可对它执行的所有操作
delete-pod = 删除 Pod
force-delete-pod = 强制删除 Pod
cut-or-heal = 切断或恢复节点
cordon = 封锁节点或解除封锁
drain = 腾空节点
power = 给机器断电或启动机器
help-pending = 怎样才能帮到 Pending 的 Pod

page = 页面
find = 查找 Pod 和节点；Enter 到下一个
console = 控制台
lessons = 课程
editor = 编辑器；在其中按 Ctrl + M 可让 Tab 离开
share = 分享
theme = 主题
present = 演示：大字号，只有集群和故事
close = 关闭，或取消选中
this-sheet = 快捷键一览

presenting = 演示期间

with-mouse = 用鼠标
drag-across-links = 拖过连接线
drag-across-links-does = 切断它们
drag-to-bin = 把 Pod 拖到垃圾桶
drag-to-bin-does = 删除；按住 Shift 则强制删除
right-click = 右键单击
right-click-does = 可对它执行的所有操作
wheel = 在时间轴上滚动滚轮
wheel-does = 缩放

with-finger = 用手指
rest = 长按 Pod
rest-does = 可对它执行的所有操作
rest-and-drag = 长按后拖动
rest-and-drag-does = 删除，与鼠标相同
rest-and-stroke = 长按后划过
rest-and-stroke-does = 切断连接
space = 空格
