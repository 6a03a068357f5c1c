nodes = 没有文件含有 Node
claims = 没有文件含有它的申领 { $names }
volumes = 没有文件含有它的申领 { $names } 的卷
