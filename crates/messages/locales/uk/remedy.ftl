fits = { $nodes ->
    [one] { $change }: тоді його може прийняти { $nodes } вузол
    [few] { $change }: тоді його можуть прийняти { $nodes } вузли
    [many] { $change }: тоді його можуть прийняти { $nodes } вузлів
   *[other] { $change }: тоді його можуть прийняти { $nodes } вузлів
}
ends = { $change }: це завершило б { $victims } на { $node }

uncordon = Відкрити { $node }
untaint = Прибрати заплямованість { $taint } з вузла { $node }
ungate-by = { $count ->
    [1] Прибрати шлюз планування { $gates }: це робить { $setter }, коли пускає Pod
   *[other] Прибрати шлюзи планування { $gates }: це робить { $setter }, коли пускає Pod
}
ungate = { $count ->
    [1] Прибрати шлюз планування { $gates }: це робить контролер, що його поставив, коли пускає Pod
   *[other] Прибрати шлюзи планування { $gates }: це робить контролер, що їх поставив, коли пускає Pod
}
honor-taints = Не враховувати в поширенні за { $topology-key } вузлів із заплямованостями, яких Pod не толерує (nodeTaintsPolicy: Honor)
tolerate = Дозволити Podʼу толерувати заплямованість { $taint }
shrink = Запитувати { $to } { $resource } замість { $from }
max-skew = Дозволити maxSkew { $to } за { $topology-key }
min-domains = { $to ->
    [one] Удовольнитися { $to } доменом { $topology-key } (minDomains)
   *[other] Удовольнитися { $to } доменами { $topology-key } (minDomains)
}
soften = Зробити поширення за { $topology-key } побажанням (ScheduleAnyway), а не правилом
drop = Прибрати { $field }
drop-request = Прибрати запит { $resource }
priority = Дати Podʼу PriorityClass { $class } ({ $value })
allow-preemption = Дозволити Podʼу витісняти (preemptionPolicy PreemptLowerPriority)
scheduler = Створити Pod наново зі schedulerName { $to }, бо змінити його ніхто не може
delete-pod = Видалити Pod { $pod } на { $node }
delete-pod-of = Видалити Pod { $pod } на { $node } (його { $kind } створить інший, який може зайняти це місце)
label = Дати вузлу { $node } мітку { $key }={ $value }
offer = Нехай { $node } пропонує { $amount } { $resource }, як це робив би втулок пристроїв
add-pod = Запустити Pod { $pod } з { $labels }, якого просить спорідненість

coscheduling-plugin = втулок Coscheduling
multiarch-operator = оператор Multiarch Tuning Operator

in-claim = ResourceClaim { $claim }
in-request = запиті { $request } з ResourceClaim { $claim }
fewer-devices = { $from ->
    [one] Просити { $to } замість { $from } пристрою в { $place }
   *[other] Просити { $to } замість { $from } пристроїв у { $place }
}
drop-selector = Прибрати селектор { $expression } у { $place }
tolerate-device-taint = Толерувати заплямованість пристрою { $taint } у { $place }
drop-capacity = Прибрати запити місткості в { $place }
drop-constraint = Прибрати обмеження щодо { $attribute } у { $place }
delete-claim = Видалити ResourceClaim { $claim }, пристроями якого не користується жоден Pod

any-node = вузол
node-like = вузол на зразок { $like }
node-like-without = { $count ->
    [1] вузол на зразок { $like }, без його заплямованості { $taints },
   *[other] вузол на зразок { $like }, без його заплямованостей { $taints },
}
add-node-with = Додати { $node } з { $more }
add-node-in-new-domain = Додати { $node } у домені { $topology-key }, якого ще немає
add-node-in-domain = Додати { $node } з { $topology-key }={ $domain }
add-node-near-volume = Додати { $node } з { $topology-key }={ $domain }, де досяжний том { $volume }
add-node-with-devices = Додати вузол на зразок { $like }, з такими самими пристроями { $drivers }
