end = Кінець
end-of-lesson = Кінець уроку
all-reached = Усіх цілей досягнуто
predictions = Прогнози: { $right } з { $count } правильні.
own-cluster = У вашому власному кластері:
try-also = Спробуйте також:
read-on = Читати далі:
next-lesson = Наступний урок: { $title } ›
course = Курс

end-of-task = Кінець завдання
noted = Вашу роботу над цим завданням записано
shown-later = Що правильно і чому, буде показано після іспиту.
next-task = Наступне ›
next-item = Далі: { $title } ›
to-exam = До іспиту
to-course = До курсу
