close = Cerrar
