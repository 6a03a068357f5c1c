second-run-clicked = 这次运行只是用同一个时钟陪着跑。要查看它的内部，请单独打开它。
nothing-to-delete = API 早已忘记它：没有什么可删除的了。请恢复连接，或给机器断电。

zone = 可用区 { $name }
node = 节点 { $name }
