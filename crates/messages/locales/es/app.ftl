to-cluster = Ir al clúster
