details = Подробиці
close = Закрити подробиці
close-hint = Закрити (Esc)
legend = Легенда
close-legend = Закрити легенду

why-here = Чому тут?
life = Життя
events = Події
yaml = YAML
hidden-answer = Зʼявиться після вашої відповіді.
no-events = Подій немає.

what-can-be-done = Що можна зробити
what-if-it-goes = А якщо зникне?
how-many-more-fit = Скільки ще вміститься?
