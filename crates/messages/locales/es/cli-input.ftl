older-kubelets = Los kubelets de los nodos son de { $version }; todo se explica con las reglas de { $rules }
