time = Час
play-or-pause = Пуск або пауза
next-event = Наступна подія
next-decision = До наступного рішення
mark-before = Назад до попередньої позначки
speed = Повільніше, швидше
to-start = Назад до початку
branch = Гілка: зберегти це майбутнє і продовжити звідси
undo = Скасувати останню команду

cluster = Кластер
nearest = До найближчого Podʼа або вузла
select = Вибрати; ще раз — прочитати подробиці
menu = Усе, що з ним можна зробити
delete-pod = Видалити Pod
force-delete-pod = Видалити Pod примусово
cut-or-heal = Відрізати вузол або полагодити
cordon = Закрити або відкрити вузол
drain = Очистити вузол
power = Вимкнути або увімкнути машину
help-pending = Що допомогло б Podʼу в стані Pending

page = Сторінка
find = Знайти Podʼи та вузли; Enter переходить до наступного
console = Консоль
lessons = Уроки
editor = Редактор; Ctrl + M там дозволяє Tab вийти з нього
share = Поділитися
theme = Тема
present = Показ: великий шрифт, лише кластер і розповідь
close = Закрити або зняти вибір
this-sheet = Цей список клавіш

presenting = Під час показу

with-mouse = Мишею
drag-across-links = Провести через звʼязки
drag-across-links-does = Різати їх
drag-to-bin = Перетягнути Pod у кошик
drag-to-bin-does = Видалити; із Shift — примусово
right-click = Права кнопка
right-click-does = Усе, що з ним можна зробити
wheel = Коліщатко на часовій шкалі
wheel-does = Масштаб

with-finger = Пальцем
rest = Затримати на Podʼі
rest-does = Усе, що з ним можна зробити
rest-and-drag = Затримати, потім тягти
rest-and-drag-does = Видалити, як мишею
rest-and-stroke = Затримати, потім провести
rest-and-stroke-does = Різати звʼязки
space = Пробіл
