older-kubelets = 节点的 kubelet 是 { $version }；这里一律按 { $rules } 的规则来解释
