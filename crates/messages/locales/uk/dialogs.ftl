refused = Це неможливо відкрити
nothing-changed = У поточній сесії нічого не змінилося.
open-another = Відкрити інший файл
to-editor = До редактора
go-on = Продовжити сесію

terms = Терміни

confirm = Ви певні?
leave-it = Не робити
do-it = Розумію, виконати

only-this-zone = Показати лише цю зону
what-if-it-goes = А якщо зникне?

no-marks = Поки що нічого.
from-to = від { $from } до { $to }
from-until-now = від { $from } дотепер
earlier = { $count ->
    [one] і ще { $count } раніша
    [few] і ще { $count } раніші
    [many] і ще { $count } раніших
   *[other] і ще { $count } раніших
}

help = Довідка та клавіші
help-hint = Кожен Pod — це квадрат: колір каже, кому він належить, форма — у якому він стані. Виберіть будь-який і спитайте, чому він тут. Зламайте щось і дивіться, що думає сервер API і що роблять машини.
shortcuts = Клавіші
single-keys = Дії однією клавішею
browsers = За межі цього браузера нічого не виходить. Podscope працює в Chrome та Edge 123, Firefox 120, Safari 17.5 і новіших.
licences = Ліцензії
guarantees = Гарантії

notices = Зауваження до відкритого
read-and-kept = Прочитано і збережено
advice = Поради

engine-stopped = Рушій зупинився
engine-stopped-hint = Це помилка Podscope, а не ваша. Сесію збережено щойно перед цим.
rest-not-loaded-hint = Не вдалося завантажити частину, потрібну останній команді. Сесію збережено до неї; продовження спробує ще раз.
start-empty = Почати з порожньої сесії
go-on-saved = Продовжити збережену сесію

sessions = Сесії, які зберігає цей браузер
name-of-this = Назва сесії цієї вкладки
name-of = Назва сесії { $name }
name-hint = Назвіть як завгодно
this-tab = цієї вкладки
open = Відкрити
open-session = Відкрити { $name }
save-link = Зберегти посилання на { $name }
save-link-hint = Зберегти її посилання як файл
forget-this = Забути цей кластер
forget-this-hint = У цьому браузері нічого з нього не лишиться
forget = Забути { $name }
forget-hint = Забути її

files = Файли
open-files = Відкрити
open-files-hint = Сценарії, маніфести або те, що надрукувало `kubectl get … -A -o yaml`. Файли можна також перетягнути будь-куди.
compare = Порівняти на тому самому зерні
second-scenario = Другий сценарій, що виконується поруч із цим
two-ways = Два шляхи
without-commands = Цей прогін без команд

save = Зберегти
save-session = Сесія
save-session-how = як файл сценарію
save-lesson = Урок
save-lesson-how = ваші дії як кроки, які можна дописати
record = Записати урок
record-how = і натискати поля, що стануть його цілями
save-objects = Обʼєкти
save-objects-how = як YAML
save-trace = Трасування
save-trace-how = як JSON Lines
save-drawing = Рисунок
save-drawing-how = як SVG
save-picture = Зображення
save-picture-how = як PNG
