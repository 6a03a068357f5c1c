title = Уроки та сценарії
loading = Уроки надійдуть разом із рушієм, який ще завантажується…

course = Курс
done-of = виконано { $done } з { $count }
lessons-done = Виконані уроки
begin-with = Почати: { $title }
continue-with = Продовжити: { $title }
on-this-device = Зберігається лише на цьому пристрої.
save = Зберегти як файл
forget = Забути
load = Завантажити файл
cannot-save = Не вдалося зберегти { $file }
none-loaded = У цьому файлі немає виконаних уроків
loaded = { $count ->
    [one] Завантажено { $count } виконаний урок
    [few] Завантажено { $count } виконані уроки
    [many] Завантажено { $count } виконаних уроків
   *[other] Завантажено { $count } виконаних уроків
}

free-play = Вільна гра
about-free-play = Малий живий кластер, без завдань
practise = Практика
about-practise = Завдання без кінця, кожне в новому кластері
exam = Іспит
about-exam = Шістнадцять завдань, 90 хвилин
your-own = Ваше власне
about-your-own = Напишіть або вставте маніфести та сценарії
terms = Терміни
about-terms = Що означають слова уроків
a-file = Файл
about-a-file = Сценарій або дамп справжнього кластера

find = Знайти урок
find-hint = Enter відкриває перший
what-do-you-see = Що ви бачите?
no-matches = Немає уроку з такими словами.
matches = { $count ->
    [one] { $count } урок
    [few] { $count } уроки
    [many] { $count } уроків
   *[other] { $count } уроків
}

group-done = { $group } · { $done } з { $count }
minutes = { $minutes } хв
minutes-after = { $minutes } хв · після: { $lessons }
