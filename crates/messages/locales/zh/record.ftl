a-lesson-is-recorded = 正在录制课程
recording = 正在录制课程。
about = 你做的事会成为课程的步骤；被拒绝的命令不计入。要设目标，就选中一个对象，点按它的 YAML 中的字段。
goals = 目标
not-a-goal = 不作为目标：{ $goal }
save = 保存课程
stop = 停止
