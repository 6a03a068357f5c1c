story = Розповідь
step-of = Крок { $step } з { $count }
place-in-group = { $group } · { $step } з { $count }
place = { $step } з { $count }
waits-for-question = Час чекає на запитання кроку { $step }.
to-question = До запитання

begins-when = Розповідь почнеться, коли станеться це:
time-runs = Час іде.
time-stands = Час стоїть.
skip-to-story = Перейти до розповіді
let-time-run = Пустити час

your-answer = ваша відповідь
so-it-is = так і є
your-answer-right = ваша відповідь, так і є

try-it = Спробуйте
broken-at = Порушено о { $time }:
broken-after = . Досягнуте після цього не рахується.
back-to = Назад до { $time }

start-over = Почати спочатку
next-waits-for-answer = «Далі» чекає на вашу відповідь.
next-is-closed = «Далі» закрито: поверніться назад або почніть спочатку.
next-waits-for = «Далі» чекає на:
show-me = Показати
show-me-hint = Переходить до наступної команди розвʼязку і дає її; те, що зробили ви, лишається як гілка
step-before = Попередній крок
next = Далі ›
to-end = Кінець ›
