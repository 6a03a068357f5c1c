title = Що не так
worst-first = Що не так, спершу найгірше
show = Показати
problems = { $count ->
    [one] { $count } проблема
    [few] { $count } проблеми
    [many] { $count } проблем
   *[other] { $count } проблем
}

looking = Пошук…
namespace = Простір імен
all = усі
none = немає (рівень кластера)
rows = { $rows ->
    [one] { $rows } рядок
    [few] { $rows } рядки
    [many] { $rows } рядків
   *[other] { $rows } рядків
}, { $objects ->
    [one] { $objects } обʼєкт
    [few] { $objects } обʼєкти
    [many] { $objects } обʼєктів
   *[other] { $objects } обʼєктів
}, о { $time }
look-again = Подивитися знову
copy = Копіювати
copied = Список скопійовано як Markdown.
nothing-wrong = Обʼєкти не показують жодних проблем.
and-more = і ще { $count }; «Копіювати» бере їх усі
