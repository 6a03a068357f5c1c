older-kubelets = kubelet di Node berversi { $version }; semuanya dijelaskan menurut aturan { $rules }
