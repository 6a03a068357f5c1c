from = Починаючи з { $time }
from-what = Починаючи з { $time }: { $what }
until = До { $time }
until-what = До { $time }: { $what }
never = Ніколи не буває так: { $what }
kept = До кінця: { $statement }
and = , і{ " " }

object-in = { $object } у просторі імен { $namespace }
exists = { $object } існує
is-gone = { $object } зник
has-node = { $object } має вузол
has-no-node = { $object } не має вузла
placed-on = { $object } розміщено на { $node }
placed-elsewhere = { $object } розміщено не на { $node }, а на іншому вузлі
phase = { $object } у стані { $phase }
not-phase = { $object } не в стані { $phase }
deleting = { $object } видаляється
not-deleting = { $object } існує і не видаляється
cordoned = { $object } закрито
not-cordoned = { $object } не закрито
nominated-to = { $object } номіновано на { $node }
nominated = { $object } номіновано на якийсь вузол
priority = { $object } має пріоритет { $priority }
generation = { $position ->
    [start] Специфікація
   *[inside] специфікація
} { $object } має generation { $generation }
revision = { $object } має ревізію { $revision }
ready = { $object } готовий
not-ready = { $object } не готовий
containers-ready = { $position ->
    [start] Контейнери
   *[inside] контейнери
} { $object } готові
unschedulable = { $position ->
    [start] Планувальник
   *[inside] планувальник
} не знайшов вузла для { $object }
condition-is = { $position ->
    [start] Стан
   *[inside] стан
} { $name } обʼєкта { $object } — { $status }
condition-is-not = { $position ->
    [start] Стан
   *[inside] стан
} { $name } обʼєкта { $object } — не { $status }
condition-reason = { $position ->
    [start] Стан
   *[inside] стан
} { $name } обʼєкта { $object } має причину { $reason }
has-taint = { $object } має заплямованість з ефектом { $effect }
has-no-taint = { $object } не має заплямованості з ефектом { $effect }
has-label-value = { $object } має мітку { $name }={ $value }
has-label = { $object } має мітку { $name }
has-no-label = { $object } не має мітки { $name }
restarted = { $object } має контейнер, який перезапущено
restarted-times = { $times ->
    [one] { $object } має контейнер, який перезапущено щонайменше { $times } раз
    [few] { $object } має контейнер, який перезапущено щонайменше { $times } рази
    [many] { $object } має контейнер, який перезапущено щонайменше { $times } разів
   *[other] { $object } має контейнер, який перезапущено щонайменше { $times } разу
}
container-waits = { $object } має контейнер, що чекає: { $reason }
container-ended = { $object } має контейнер, що завершився: { $reason }
has-reason = { $object } має причину { $reason }
has-image = { $object } має образ { $image }
has-grace = { $object } має період завершення { $seconds } с
has-field = { $object } має { $path }
has-no-field = { $object } не має { $path }
field-is = { $path } обʼєкта { $object } — { $number }
field-is-not = { $path } обʼєкта { $object } — не { $number }

wants-pods = { $count ->
    [one] { $object } хоче { $number } Pod
    [few] { $object } хоче { $number } Podʼи
    [many] { $object } хоче { $number } Podʼів
   *[other] { $object } хоче { $number } Podʼів
}
wants-healthy-pods = { $count ->
    [one] { $object } хоче { $number } справний Pod
    [few] { $object } хоче { $number } справні Podʼи
    [many] { $object } хоче { $number } справних Podʼів
   *[other] { $object } хоче { $number } справних Podʼів
}
has-pods = { $count ->
    [one] { $object } має { $number } Pod
    [few] { $object } має { $number } Podʼи
    [many] { $object } має { $number } Podʼів
   *[other] { $object } має { $number } Podʼів
}
has-ready-pods = { $count ->
    [one] { $object } має { $number } готовий Pod
    [few] { $object } має { $number } готові Podʼи
    [many] { $object } має { $number } готових Podʼів
   *[other] { $object } має { $number } готових Podʼів
}
has-available-pods = { $count ->
    [one] { $object } має { $number } доступний Pod
    [few] { $object } має { $number } доступні Podʼи
    [many] { $object } має { $number } доступних Podʼів
   *[other] { $object } має { $number } доступних Podʼів
}
has-latest-pods = { $count ->
    [one] { $object } має { $number } Pod за останнім шаблоном
    [few] { $object } має { $number } Podʼи за останнім шаблоном
    [many] { $object } має { $number } Podʼів за останнім шаблоном
   *[other] { $object } має { $number } Podʼів за останнім шаблоном
}
has-failed-pods = { $count ->
    [one] { $object } має { $number } Pod, що завершився невдало
    [few] { $object } має { $number } Podʼи, що завершилися невдало
    [many] { $object } має { $number } Podʼів, що завершилися невдало
   *[other] { $object } має { $number } Podʼів, що завершилися невдало
}
has-succeeded-pods = { $count ->
    [one] { $object } має { $number } Pod, що завершився успішно
    [few] { $object } має { $number } Podʼи, що завершилися успішно
    [many] { $object } має { $number } Podʼів, що завершилися успішно
   *[other] { $object } має { $number } Podʼів, що завершилися успішно
}
has-healthy-pods = { $count ->
    [one] { $object } має { $number } справний Pod
    [few] { $object } має { $number } справні Podʼи
    [many] { $object } має { $number } справних Podʼів
   *[other] { $object } має { $number } справних Podʼів
}

no-objects = { $position ->
    [start] Немає
   *[inside] немає
} { $objects }
objects = { $position ->
    [start] Кількість
   *[inside] кількість
} { $objects }: { $number }
not-objects = { $position ->
    [start] Кількість
   *[inside] кількість
} { $objects }: не { $number }
same-objects = { $position ->
    [start] Ті самі
   *[inside] ті самі
} { $objects }: жоден не зникає, жоден не додається

or = { " " }або{ " " }
named = { $objects } з імʼям { $names }
labelled = { $objects } з мітками { $labels }
in-phase = { $objects } у стані { $phase }
on-node = { $objects } на { $node }
with-field = { $objects } із { $field }
in-namespace = { $objects } у просторі імен { $namespace }
in-all-namespaces = { $objects } в усіх просторах імен
serving = { $objects } (готові й не видаляються)

no-request = { $position ->
    [start] Немає
   *[inside] немає
} запитів до { $service }{ $which }
one-request = { $position ->
    [start] Є
   *[inside] є
} 1 запит до { $service }{ $which }
requests = { $position ->
    [start] Є
   *[inside] є
} { $number } { $count ->
    [one] запит
    [few] запити
    [many] запитів
   *[other] запитів
} до { $service }{ $which }
not-requests = { $position ->
    [start] Кількість
   *[inside] кількість
} запитів до { $service }{ $which }: не { $number }

that-failed = з невдалим результатом
with-outcome = із результатом { $outcome }

between = { $least }–{ $most }
at-least = щонайменше { $least }
at-most = щонайбільше { $most }
