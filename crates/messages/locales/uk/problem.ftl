node-not-ready = { $pods ->
    [one] { $why }; на ньому { $pods } Pod
    [few] { $why }; на ньому { $pods } Podʼи
    [many] { $why }; на ньому { $pods } Podʼів
   *[other] { $why }; на ньому { $pods } Podʼа
}
kubelet-not-heard = його kubelet мовчить
not-ready-for = не готовий: { $reason }

bring-machine-back = Поверніть машину або її мережу; доки ніхто не знає, що її вимкнено, її Podʼи, можливо, ще працюють. Коли вона напевно вимкнена: { $command }
bring-node-back = Поверніть вузол { $node }: тоді його kubelet завершить Pod
once-machine-is-off = Коли машина напевно вимкнена: { $command }

gated = { $count ->
    [1] його тримає шлюз планування { $gates }: планувальник на нього не дивиться
   *[other] його тримають шлюзи планування { $gates }: планувальник на нього не дивиться
}
gate-of = { $gate } (його ставить { $setter })
said-in-cluster = { $message } (сказано в кластері; { $missing })
nobody-can-say = ніхто не може сказати чому: { $missing }
said-by-unknown-scheduler = { $message } (його планувальник { $scheduler } тут невідомий)
unknown-scheduler = його планувальник { $scheduler } тут невідомий: ніщо не каже, чому він чекає
message-and-cause = { $message } { $cause }
and-cause = { $before }. { $cause }
made-for-node = Його DaemonSet створив його лише для вузла { $node }
claim-in-use = Його заявка { $claim } має режим ReadWriteOncePod, і нею вже користується Pod { $pod } на вузлі { $node }
devices-on-node = На { $node }: { $lines }
fits-now = судячи з файлів, тепер він уміщається: на { $nodes }
fits-on = його ще не планували: він уміщається на { $nodes }

ended-containers = { $ends }
message-and-ends = { $message }: { $ends }
container-ended = контейнер { $container } завершився: { $exit }
container-restarts = { $restarts ->
    [1] контейнер { $container } завершується: { $exit }; перезапущено один раз
    [one] контейнер { $container } завершується: { $exit }; перезапущено { $restarts } раз
    [few] контейнер { $container } завершується: { $exit }; перезапущено { $restarts } рази
    [many] контейнер { $container } завершується: { $exit }; перезапущено { $restarts } разів
   *[other] контейнер { $container } завершується: { $exit }; перезапущено { $restarts } разу
}
exit-code = код виходу { $code }
reason-with-exit-code = { $reason } (код виходу { $code })

held-by-finalizers = { $count ->
    [1] його тримає завершувач { $names }: хто його поставив, той має й прибрати
   *[other] його тримають завершувачі { $names }: хто їх поставив, той має й прибрати
}
node-unreachable = його вузол { $node } недосяжний, тож жоден kubelet не підтверджує, що його контейнери завершилися
node-unreachable-then-held = { $count ->
    [1] його вузол { $node } недосяжний, тож жоден kubelet не підтверджує, що його контейнери завершилися; а потім його триматиме завершувач { $names }
   *[other] його вузол { $node } недосяжний, тож жоден kubelet не підтверджує, що його контейнери завершилися; а потім його триматимуть завершувачі { $names }
}
grace-has-ended = його період завершення минув, а kubelet вузла { $node } його не завершив
grace-has-ended-unbound = його період завершення минув, а kubelet його вузла його не завершив
used-by-pod = нею ще користується Pod { $pod } ({ $finalizer })
used-by-none = її тримає завершувач { $finalizer }, хоча жоден Pod у файлах нею не користується
waits-for-owned = чекає, доки зникне те, чим він володіє
content-not-gone = його вміст ще не зник
finalizer-not-removed = її завершувач ще не прибрано
reserved-for = її зарезервовано для { $users }
let-controller-finish = Дайте закінчити контролеру, що поставив { $names }, а якщо його вже ніколи не буде, приберіть завершувач: { $command }

of-container = контейнер { $container }: { $message }
ends-repeatedly = завершується знову і знову
image = образ { $image }: { $message }
init-container-runs = його контейнер ініціалізації { $container } ще не завершився
container-not-ready-for = контейнер { $container } не готовий: { $message }
startup-probe-fails = проба запуску контейнера { $container } ще жодного разу не була успішна
readiness-probe-fails = проба готовності контейнера { $container } невдала
container-not-ready = контейнер { $container } працює, але не готовий
container-waits = контейнер { $container } чекає: { $reason }
not-created = ще не створено
readiness-gate = його шлюз готовності { $gate } — не True
not-begun = його привʼязано до { $node }, а тамтешній kubelet за нього ще не взявся
only-containers-ready = його контейнери готові, а він — ні

pod-not-ready = Pod { $pod } не готовий: { $why }
node-of-pod-not-ready = його вузол { $node } не готовий
not-ready = причини не видно
cannot-create-pods = Podʼи неможливо створити: { $message }
rollout = { $wanted ->
    [one] за новим шаблоном — { $updated } з { $wanted } репліки; { $pod }
   *[other] за новим шаблоном — { $updated } з { $wanted } реплік; { $pod }
}
daemon-rollout = { $wanted ->
    [one] Pod за новим шаблоном є на { $updated } з { $wanted } вузла; { $pod }, і цим вичерпано maxUnavailable { $allowed }
   *[other] Pod за новим шаблоном є на { $updated } з { $wanted } вузлів; { $pod }, і цим вичерпано maxUnavailable { $allowed }
}

too-few-healthy = він не дозволяє жодного розладу: справних Podʼів { $healthy }, а має бути { $needed }
no-spare = він не дозволяє жодного розладу: справних Podʼів { $healthy } з { $pods }, і має бути { $needed }
get-pods-ready = Доможіться, щоб несправні Podʼи його селектора стали готовими
run-one-more = Запустіть ще одну репліку, або нехай бюджет дозволяє один розлад (maxUnavailable: 1)

volume-not-bound = її том { $volume } не привʼязано до неї
waits-for-pod = клас { $class } чекає, доки отримає вузол Pod { $pod }, який нею користується
waits-for-first-pod = клас { $class } чекає на перший Pod, що нею користуватиметься, а такого немає
waits-for-provisioner = вона чекає, доки { $provisioner } створить її том
no-volume-fits = жоден том їй не підходить, і жоден клас не створить його
bound-without-devices = Pod { $pod } привʼязано до { $node } без неї, і тепер ніхто не виділить їй пристроїв
gets-devices-with-node = вона отримає пристрої, коли отримає вузол Pod { $pod }, який нею користується
attachment-error = том { $volume } на вузлі { $node }: { $message }
not-detached = том { $volume } ще не відʼєднано від вузла { $node }
