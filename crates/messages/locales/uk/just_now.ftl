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
lost-to-node = надіслане на { $node } губиться
lost-from-node = те, що надсилає { $node }, губиться
lost-to-node-from = те, що { $from } надсилає на { $node }, губиться
lost-from-node-to = те, що надсилає { $node }, губиться (адресат: { $from })
cut-off-from = { $node } відрізано від: { $from }

sigterm = { $what } отримує SIGTERM
sigkill = { $what } отримує SIGKILL
pre-stop = { $what }: починається його хук preStop
broken = порушено: { $what }
as-expected = як очікувалося: { $what }
not-as-expected = не так, як очікувалося: { $what }
refused = відмовлено: { $command }
