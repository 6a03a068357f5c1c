story = Розповідь
close = Закрити розповідь
start-course = Почати курс
