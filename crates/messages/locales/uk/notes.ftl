notes = Нотатки
