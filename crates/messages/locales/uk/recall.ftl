asked-again = Запитано знову
still-know = Ще памʼятаєте?
one-question = Одне запитання з уроку «{ $lesson }», у прогоні, якого ви ще не бачили.
ask-me = Спитати
not-now = Не зараз
