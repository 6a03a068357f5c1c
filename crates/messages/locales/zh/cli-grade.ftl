student = 学生
lesson = 课程
finished = 完成
goals = 目标
answers = 回答
hints = 提示
shown = 看过演示
minutes = 分钟
check = 核对

yes = 是
no = 否
replayed = 重放一致

passed = { $student }：得分 { $percent }%，已通过{ $missing ->
    [0] { "" }
   *[other] ，有 { $missing } 道题没有运行
}
not-passed = { $student }：得分 { $percent }%，未通过{ $missing ->
    [0] { "" }
   *[other] ，有 { $missing } 道题没有运行
}
mistake = { $of } 个人中有 { $count } 个回答 { $wrong }；运行的结果是 { $right }
