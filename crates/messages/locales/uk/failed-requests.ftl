title = Запити до { $service }

failed = { $requests }: { $why }
failed-for = { $requests }: { $why }; це тривало { $time }
believed = { $failed }; { $node } мав його серед кінцевих точок з { $since }
believed-unaware = { $failed }; { $node } мав його серед кінцевих точок з { $since } і ще не чув про зміну

refused = { $count ->
    [one] { $count } запит відхилено
    [few] { $count } запити відхилено
    [many] { $count } запитів відхилено
   *[other] { $count } запитів відхилено
}
reset = { $count ->
    [one] { $count } запит обірвано
    [few] { $count } запити обірвано
    [many] { $count } запитів обірвано
   *[other] { $count } запитів обірвано
}
timeout = { $count ->
    [one] { $count } запит завершився за тайм-аутом
    [few] { $count } запити завершилися за тайм-аутом
    [many] { $count } запитів завершилися за тайм-аутом
   *[other] { $count } запитів завершилися за тайм-аутом
}
error = { $count ->
    [one] { $count } запит отримав у відповідь помилку
    [few] { $count } запити отримали у відповідь помилку
    [many] { $count } запитів отримали у відповідь помилку
   *[other] { $count } запитів отримали у відповідь помилку
}
other = { $count ->
    [one] { $count } запит ({ $outcome })
    [few] { $count } запити ({ $outcome })
    [many] { $count } запитів ({ $outcome })
   *[other] { $count } запитів ({ $outcome })
}

starting = { $node } надсилав до { $pod }, який працює, але ще не слухав
not-running = { $node } надсилав до { $pod }, який уже зупинився
not-running-since = { $node } надсилав до { $pod }, який зупинився за { $ago } до того
not-running-up-to = { $node } надсилав до { $pod }, який зупинився щонайбільше за { $ago } до того
listener-closed = { $node } надсилав до { $pod }, який уже не слухав
listener-closed-since = { $node } надсилав до { $pod }, який перестав слухати за { $ago } до того
listener-closed-up-to = { $node } надсилав до { $pod }, який перестав слухати щонайбільше за { $ago } до того
process-ended = { $node } надсилав до { $pod }, який завершився разом із запитами, що були в ньому
pod-gone = { $node } надсилав до { $pod }, якого на його вузлі вже немає
pod-without-power = { $node } надсилав до { $pod }, який на машині без живлення
pod-cut-off = { $node } надсилав до { $pod }, який за розірваним звʼязком
server-error = { $node } надсилав до { $pod }, який відповідає помилками
server-slow = { $node } надсилав до { $pod }, який відповідає пізніше, ніж чекає клієнт

no-service = Service { $service } не існує
no-name = { $node } не може дістатися DNS кластера
no-rules = { $node } не має правил для { $service }
no-endpoints = { $node } не знає жодної кінцевої точки { $service }
no-local-endpoints = { $service } — для кінцевих точок на тому самому вузлі, а { $node } не має жодної
no-power = { $node } без живлення
cut-off = { $node } недосяжний

a-moment = менше ніж 0.1 s
