no-node = { $count ->
    [one] { $count } Pod: вузла немає
    [few] { $count } Podʼи: вузла немає
    [many] { $count } Podʼів: вузла немає
   *[other] { $count } Podʼів: вузла немає
}
got-node = { $count ->
    [one] { $count } Pod отримав вузол
    [few] { $count } Podʼи отримали вузол
    [many] { $count } Podʼів отримали вузол
   *[other] { $count } Podʼів отримали вузол
}
preempted = { $count ->
    [one] { $count } Pod витіснено
    [few] { $count } Podʼи витіснено
    [many] { $count } Podʼів витіснено
   *[other] { $count } Podʼів витіснено
}
evicted-by-taint = { $count ->
    [one] { $count } Pod виселено: заплямованість вузла
    [few] { $count } Podʼи виселено: заплямованість вузла
    [many] { $count } Podʼів виселено: заплямованість вузла
   *[other] { $count } Podʼів виселено: заплямованість вузла
}
evicted-by-pressure = { $count ->
    [one] kubelet виселив { $count } Pod: тиск на вузлі
    [few] kubelet виселив { $count } Podʼи: тиск на вузлі
    [many] kubelet виселив { $count } Podʼів: тиск на вузлі
   *[other] kubelet виселив { $count } Podʼів: тиск на вузлі
}
ended-by-shutdown = { $count ->
    [one] kubelet завершив { $count } Pod: вузол вимикається
    [few] kubelet завершив { $count } Podʼи: вузол вимикається
    [many] kubelet завершив { $count } Podʼів: вузол вимикається
   *[other] kubelet завершив { $count } Podʼів: вузол вимикається
}
evicted-by-api = { $count ->
    [one] { $count } Pod виселено через API виселення
    [few] { $count } Podʼи виселено через API виселення
    [many] { $count } Podʼів виселено через API виселення
   *[other] { $count } Podʼів виселено через API виселення
}
removed-by-garbage-collector = { $count ->
    [one] збирач сміття прибрав { $count } Pod: вузла немає або він не в експлуатації
    [few] збирач сміття прибрав { $count } Podʼи: вузла немає або він не в експлуатації
    [many] збирач сміття прибрав { $count } Podʼів: вузла немає або він не в експлуатації
   *[other] збирач сміття прибрав { $count } Podʼів: вузла немає або він не в експлуатації
}
run-again = { $count ->
    [one] { $count } контейнер знову працює
    [few] { $count } контейнери знову працюють
    [many] { $count } контейнерів знову працюють
   *[other] { $count } контейнерів знову працюють
}
get-sigterm = { $count ->
    [one] { $count } контейнер отримує SIGTERM
    [few] { $count } контейнери отримують SIGTERM
    [many] { $count } контейнерів отримують SIGTERM
   *[other] { $count } контейнерів отримують SIGTERM
}
get-sigkill = { $count ->
    [one] { $count } контейнер отримує SIGKILL
    [few] { $count } контейнери отримують SIGKILL
    [many] { $count } контейнерів отримують SIGKILL
   *[other] { $count } контейнерів отримують SIGKILL
}
pre-stop-begin = { $count ->
    [one] починається { $count } хук preStop
    [few] починаються { $count } хуки preStop
    [many] починаються { $count } хуків preStop
   *[other] починаються { $count } хуків preStop
}

ready-again = { $node } знову Ready
condition-over = { $node }: { $condition } минув
whole-again = знову дотримано через { $time }: { $what }

cut-off = { $node } відрізано
lost-to-node = те, що надсилають на { $node }, губиться
lost-from-node = те, що надсилає { $node }, губиться
lost-to-node-from = те, що надходить на { $node } від { $from }, губиться
lost-from-node-to = те, що { $node } надсилає до { $from }, губиться
cut-off-from = { $node } відрізано від { $from }

sigterm = { $what } отримує SIGTERM
sigkill = { $what } отримує SIGKILL
pre-stop = { $what }: починається його хук preStop
broken = порушено: { $what }
as-expected = як очікувалося: { $what }
not-as-expected = не так, як очікувалося: { $what }
refused = відмовлено: { $command }
