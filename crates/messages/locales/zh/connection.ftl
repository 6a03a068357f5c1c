not-saved = 无法保存 { $name }
session-kept = 你在 { $time } 的会话还保留着：“文件”中的“会话”。
