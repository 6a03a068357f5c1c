to-cluster = До кластера
