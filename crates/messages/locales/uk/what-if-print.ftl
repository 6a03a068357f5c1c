order-that-works = Порядок, що спрацьовує
stops-at = Зупиняється на
shapes = Види Podʼів
not-wanted-on = Не потрібен на
what-makes-room = Що звільняє місце
node-groups = Групи вузлів

goes = { $pod } (з { $from }) -> { $to }
goes-nowhere = { $pod } (з { $from }) -> без вузла: { $reason }
new-goes = { $pod } (новий) -> { $to }
new-goes-nowhere = { $pod } (новий) -> без вузла: { $reason }
nothing-changes = Нічого не змінюється.

stops = зупиняється на { $node-and-why }
rolling-summary = Вузлів очищено: { $drained }, не очищено: { $stopped }; минуло { $seconds } с.

fit-after = { $count ->
    [one] уміститься { $count }
    [few] умістяться { $count }
    [many] уміститься { $count }
   *[other] уміститься { $count }
 } після: { $commands }

group = { $name }: { $nodes ->
    [one] { $nodes } вузол
    [few] { $nodes } вузли
    [many] { $nodes } вузлів
   *[other] { $nodes } вузла
 }, { $limits }, новий — такий, як { $like }
group-of-default-machine = { $name }: { $nodes ->
    [one] { $nodes } вузол
    [few] { $nodes } вузли
    [many] { $nodes } вузлів
   *[other] { $nodes } вузла
 }, { $limits }, новий — як типова машина
limits = щонайменше { $min }, щонайбільше { $max }
limits-without-max = щонайменше { $min }, верхня межа невідома
limits-not-known = межі невідомі
pod = Pod { $pod }
pod-of-owner = Pod { $pod } (власник { $owner })
pods = Pod { $pod } і ще { $more }
pods-of-owner = Pod { $pod } (власник { $owner }) і ще { $more }
no-group = Груп вузлів немає; { $pods ->
    [one] чекає { $pods } Pod
    [few] чекають { $pods } Podʼи
    [many] чекають { $pods } Podʼів
   *[other] чекають { $pods } Podʼа
 }.
grow-summary = Модель автомасштабувальника кластера: з { $waiting ->
    [one] { $waiting } Podʼа, що чекає,
   *[other] { $waiting } Podʼів, що чекають,
 } група вузлів допоможе { $helped }, а без цього { $fitting ->
    [one] уміститься { $fitting }
    [few] умістяться { $fitting }
    [many] уміститься { $fitting }
   *[other] уміститься { $fitting }
 }.
with-not-asked = { $summary } { $more ->
    [one] Ще про { $more } Pod не питали.
    [few] Ще про { $more } Podʼи не питали.
    [many] Ще про { $more } Podʼів не питали.
   *[other] Ще про { $more } Podʼа не питали.
 }
