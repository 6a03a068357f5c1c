name = 集群
starting = 正在启动集群…

this-run = 本次运行及其轨道
this-run-hint = 下面的时间轴、轨道和故事都属于本次运行
same-seed = 种子相同
with-commands = 执行命令
without-commands = 不执行命令
end = 结束
end-comparison = 结束比较

delete = 删除：有宽限期限
force-delete = 强制删除：名字立刻空出
