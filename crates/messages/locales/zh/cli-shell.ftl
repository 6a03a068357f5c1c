welcome = 停在提示符时，时间不走：用 `wait 30s` 或 `until 2m` 让它前进。`help` 列出有哪些命令；按 Ctrl-D 结束。
