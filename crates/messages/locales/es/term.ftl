all-terms = Todos los términos
