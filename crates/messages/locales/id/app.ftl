to-cluster = Ke klaster
