console = Консоль
command = Команда
close = Закрити консоль
close-hint = Закрити (Esc)
completions = Варіанти доповнення

type-or-last = Введіть команду або ↑ для останньої: { $last }
type-command = Введіть команду, наприклад kubectl get pods

log = Команди та їхній вивід
empty-log = kubectl … змінює те, що зберігає сервер API, fault … — світ навколо. help перелічує і ті, і ті команди.
lines = { $count ->
    [one] { $count } рядок
    [few] { $count } рядки
    [many] { $count } рядків
   *[other] { $count } рядків
}

manifests = Маніфести: Enter застосовує їх, Esc відкидає.
scenario = Сценарій: Enter відкриває його, а цю сесію буде збережено. Esc відкидає.
open-document = Enter додає рядок; останній завершує введення. Esc відкидає.
commands = { $count ->
    [1] Enter виконує її, Esc відкидає.
    [one] Enter виконує { $count } команду, Esc відкидає.
    [few] Enter виконує ці { $count } команди, Esc відкидає.
    [many] Enter виконує ці { $count } команд, Esc відкидає.
   *[other] Enter виконує ці { $count } команд, Esc відкидає.
}
