notes = Notas
