nodes = 文件中没有 Node
claims = 文件中没有它的申领 { $names }
volumes = 文件中没有它的申领 { $names } 的卷
