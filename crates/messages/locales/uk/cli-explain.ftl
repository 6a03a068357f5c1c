why = Чому: { $why }.
scheduler-says = kube-scheduler каже: { $message }
scheduler-said = kube-scheduler сказав у кластері: { $message }

nodes = Вузли
fits = підходить
refused = відмова

devices = Пристрої
device-error = помилка: { $error }
incomplete-pool = пул { $pool } неповний
invalid-pool = пул { $pool } недійсний

scores = Оцінки (з вагами)
node = вузол
total = разом

spread = Поширення за { $key } ({ $kind }, maxSkew { $skew }, найменше Podʼів у домені: { $fewest })
spread-too-few = { $least ->
    [one] Поширення за { $key } ({ $kind }, maxSkew { $skew }, найменше Podʼів у домені: { $fewest }, рахують за 0: є { $found } з { $least } домену)
   *[other] Поширення за { $key } ({ $kind }, maxSkew { $skew }, найменше Podʼів у домені: { $fewest }, рахують за 0: є { $found } з { $least } доменів)
}
skew = відхилення { $skew } із цим Podʼом
not-scored = без оцінки: жоден вузол там не може прийняти Pod
within-limit = у межах
too-many = забагато
above-limit = понад межу, це лише впливає на оцінку

preemption = Витіснення: { $what }
candidate = { $node }: жертви: { $victims }; можуть лишитися: { $reprieved }; порушень PodDisruptionBudgetʼів: { $violations }
victim = { $pod } (пріоритет { $priority }{ $budgets })
budget = , бюджет { $name } дозволяє { $allowed }
no-pods = немає

groups = Групи вузлів (модель автомасштабувальника кластера)
ended = Контейнери, що завершилися
