key-next-step = Наступний крок розповіді
key-step-before = Попередній крок
key-spotlight = Прожектор
key-code = QR-код цього моменту
key-console = Консоль
key-timeline = Часова шкала
key-timer = Таймер: відлік пʼяти хвилин, можна додати чи відняти
key-ask = Запитання великим шрифтом, для класу; ще раз — що станеться
key-end = Завершити

presenting = Показ
spotlight = Прожектор
qr-code = QR-код
console = Консоль
timeline = Часова шкала
timer = Таймер
end = Завершити

ask-class = Спитати клас
question = Запитання до класу
what-happens = Що станеться?

minute-less = На хвилину менше
minute-more = На хвилину більше
time-left = Лишилося часу

code = QR-код: посилання на цей момент
link-too-long = У цьому посиланні { $count ->
    [one] { $count } символ
    [few] { $count } символи
    [many] { $count } символів
   *[other] { $count } символів
    }; QR-код вміщує 2 953. Поділіться ним як файлом.
cannot-save = Браузер не дозволяє тут зберігати.
save-code = Зберегти код
show-large = Показати більшим
