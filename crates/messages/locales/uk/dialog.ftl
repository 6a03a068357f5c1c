close = Закрити
