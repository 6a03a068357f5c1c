older-kubelets = На вузлах kubelet версії { $version }; усе пояснено за правилами { $rules }
