too-large = { $name } 超过 256 MiB
unreadable = 无法读取 { $name }
empty = { $name } 是空的：没有打开任何内容
