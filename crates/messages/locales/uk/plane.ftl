control-plane = Панель управління
control-plane-other-run = Панель управління, інший прогін
api-server = Сервер API
api-short = API
scheduler-short = sched
controllers-short = control
attacher-short = attach
fencing-short = fencing
action-on = { $component }: { $action }

leader = (лідер)
standby = (резерв)
down = (не працює)
unreachable = (недосяжний)

broken = { $guarantee } порушено
was-broken = { $guarantee } було порушено
since = о { $instant }
since-for = о { $instant }, тривало { $duration }
guarantees-broken = { $count ->
    [one] гарантію порушено
    [few] гарантії порушено
    [many] гарантій порушено
   *[other] гарантій порушено
}
guarantees-were-broken = { $count ->
    [one] гарантію було порушено
    [few] гарантії було порушено
    [many] гарантій було порушено
   *[other] гарантій було порушено
}
heal-everything = Полагодити все
heal-everything-hint = { $count ->
    [one] Прибрати всі розриви { $count } вузла
   *[other] Прибрати всі розриви { $count } вузлів
}

what-is-drawn = Що показано
whose-picture = Чия картина
api = API
api-hint = Лише те, що думає сервер API
both = обидві
both-hint = Що думає сервер API і в чому машини з ним розходяться
machine = машина
machine-hint = Лише те, що справді працює
group-by = Групувати за
group-by-label = Групувати вузли за міткою
zone = зона
zone-by-topology = зона (topology…)
zone-by-label = zone (мітка)
key-of-constraint = { $key } (його обмеження)
