no-node-object = немає обʼєкта Node
no-machine = немає машини
machine-is-off = машину вимкнено
off = вимкнено
no-kubelet = kubelet не працює
no-runtime = середовище виконання не відповідає
cut-off-last-heard = відрізано, востаннє чути { $time } тому
unreachable = недосяжний { $time }
not-ready = не готовий
not-ready-because = не готовий: { $reason }

cut-off = відрізано
cut-off-from = відрізано від { $end }
nothing-from-arrives = нічого не доходить від { $end }
nothing-arrives-at = нічого не доходить до { $end }
nothing-sent-arrives = нічого надісланого йому не доходить
first-cut-and-more = { $first } і ще { $count }

cut-off-notready-in = відрізано · NotReady через { $time }
notready-in = NotReady через { $time }
notready-evicts-in = NotReady · виселить через { $time }
evicts-in = виселить через { $time }

name = Вузол { $node }
ready = готовий
cordoned = закрито
pods = { $count ->
    [one] { $count } Pod
    [few] { $count } Podʼи
    [many] { $count } Podʼів
   *[other] { $count } Podʼів
}
only-name-known = відоме лише імʼя

pods-only-name-known = { $count ->
    [one] { $count } Pod · відоме лише імʼя
    [few] { $count } Podʼи · відоме лише імʼя
    [many] { $count } Podʼів · відоме лише імʼя
   *[other] { $count } Podʼів · відоме лише імʼя
}
running-pods = { $count ->
    [one] { $count } Pod працює
    [few] { $count } Podʼи працюють
    [many] { $count } Podʼів працюють
   *[other] { $count } Podʼів працюють
}
cordoned-hint = Закрито: нових Podʼів не приймає
taint = Заплямованість { $taint }
verdict-at = { $verdict } о { $instant }

heal-links = Полагодити звʼязки { $node }
cut-everything = Відрізати { $node } від усього

requests = запити: cpu { $cpu }, memory { $memory }, { $places ->
    [one] Podʼів { $pods } з { $places } місця
   *[other] Podʼів { $pods } з { $places } місць
}
wants = { $pod } хоче { $amount }
free = вільно { $amount }
has = { $node } має { $amount }

pods-on = Podʼи на { $node }
nominated-hint = { $pod } номіновано сюди: для нього звільняють місце
nominated-here = номіновано сюди:
api-nominated = API: номіновано
waits-for-room = чекає на місце

api = API
pressure-as-in-files = Тиск такий, як у файлах; тут його ніхто не вимірює: він триває, доки машину не запустять наново
pressure-lasts-longer = Про тиск, що минув, повідомляють ще 5 хв, якщо evictionPressureTransitionPeriod не каже іншого
