containers = Контейнери
ready = готовий
not-ready = не готовий
restarts = { $count ->
    [one] { $count } перезапуск
    [few] { $count } перезапуски
    [many] { $count } перезапусків
   *[other] { $count } перезапусків
}
api = API
machine = машина
rule = правило
no-process = процесу немає
init = init
sidecar = sidecar

conditions = Стани
owned-by = Власник
volumes = Томи
termination = Завершення
stage-from-to = { $stage } від { $from } до { $to }
stage-until-now = { $stage } від { $from } дотепер
