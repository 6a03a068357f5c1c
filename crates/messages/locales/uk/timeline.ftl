name = Часова шкала
time = Час

faults = Збої
commands = Команди
decisions = Рішення
terminations = Завершення
requests = Запити
guarantees = Гарантії
spread = Поширення
spread-of = Поширення { $owner }
lanes = Доріжки
as-lists = Доріжки як списки
as-lists-sr = Доріжки як списки:

zoom-in = Збільшити
zoom-out = Зменшити
see-all = Показати все
legend = Легенда
legend-hint = Що означають позначки і що сталося щойно

event-at = { $event } · { $instant }
event-from-to = { $event } · від { $from } до { $to }
several-here = Тут { $count }, остання: { $last }

main = головна
branch = гілка { $number }
branch-hint = Гілка { $number }: { $label }
branches = Гілки
leaves-at = Відгалужується о { $instant }
compare = Порівняти
compare-hint = Порівняти: { $branch }. Поруч, за одним годинником
compare-no-commands = Порівняти без команд
compare-no-commands-hint = Поруч, за одним годинником і з одним зерном: цей прогін і він самий без своїх команд
