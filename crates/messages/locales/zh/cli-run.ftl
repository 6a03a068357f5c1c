no-scenario = （没有场景）
head = { $title }：种子 { $seed }，运行到 { $time }
note = 说明：{ $notice }

held = 成立
failed = 失败
skipped = 跳过

refused = { $time } 被拒绝：{ $command }：{ $error }
broken = 保证 { $invariant } 在 { $time } 被打破（起因：{ $cause }）{ $by }

objects = 对象：{ $counts }
no-objects = 对象：无
trace = 跟踪记录：{ $records } 条，哈希 { $hash }
