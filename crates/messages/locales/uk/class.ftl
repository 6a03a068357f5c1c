class = Клас
about = Перетягніть сюди файли, які вам здали. Кожен прогін відтворюється тут, і все, що стверджує файл, перевіряється; за межі цього браузера нічого не виходить.
choose-files = Вибрати файли
save = Зберегти як CSV
forget = Забути їх
awaited = { $count ->
    [one] відтворюється { $count } файл…
    [few] відтворюються { $count } файли…
    [many] відтворюються { $count } файлів…
   *[other] відтворюються { $count } файлів…
}
frequent-wrong-answers = Найчастіші хибні відповіді
wrong-answer = { $wrong } — так відповіли { $count } з { $all }; правильно: { $right }.

runs = Прогони
student = Учень
lesson = Урок
finished = Завершено
goals = Цілі
answers = Відповіді
hints = Підказки
shown = Показано
minutes = Хвилини
check = Перевірка
run = Прогін
open = Відкрити
open-run = Відкрити прогін «{ $title }», автор { $student }
yes = так
no = ні
replayed = відтворено
