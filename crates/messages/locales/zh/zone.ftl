name = { $key } { $value }
without = 没有 { $key }
other-run = { $group }，另一次运行

pods-and-ghosts = { $pods }（+{ $ghosts } 幽灵）
here = { $owner }：这里有 { $pods } 个
here-with-limit = { $owner }：这里有 { $pods } 个；只要最空的是 { $least } 个，这里最多可放到 { $limit } 个（maxSkew { $skew }）
