link-unreadable = посилання неможливо прочитати: { $error }
run-of-namesake = здано як «{ $claimed }», а це прогін іншого сценарію з такою самою назвою
run-of-another = здано як «{ $claimed }», а це прогін «{ $title }»
not-finished = файл стверджує, що урок завершено, а прогін його не завершує
no-hand-in = тут немає ні зданої роботи (JSON), ні посилання ({ $prefix }…)
too-many-runs = { $count ->
    [one] { $count } прогін: оцінюють щонайбільше { $limit }
    [few] { $count } прогони: оцінюють щонайбільше { $limit }
    [many] { $count } прогонів: оцінюють щонайбільше { $limit }
   *[other] { $count } прогону: оцінюють щонайбільше { $limit }
}
problem = { $place }: { $message }
