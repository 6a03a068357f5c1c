to-cluster = 转到集群
