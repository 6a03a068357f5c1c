namespace-and-priority = { $namespace } · пріоритет { $priority }
gone = зник
ghost = привид на { $node }
zone = зона { $zone }
no-node = немає обʼєкта Node
invariant = інваріант
failed-requests = невдалі запити

terminating = Завершується: { $cause }.
terminating-unconfirmed = Завершується: { $cause }. Його вузол недосяжний, тож ніхто не може підтвердити, що його процеси завершилися.
unbound = Ще не привʼязано до вузла.
last-heard = API каже { $status }, але { $node } недосяжний: це останнє, що було чути.
bound = { $status } на { $node }, готові контейнери: { $ready }/{ $containers }.
gone-pod = { $pod } зник: в API такого Podʼа немає, і жоден його процес не працює.
ghost-pod = { $pod } ще працює на { $node }, але API про нього забув. Його kubelet завершить його, коли почує про видалення.

agrees = { $status }. API і машина кажуть те саме.
machine-alone = Машина { $node } є, але в API немає її обʼєкта Node.
gone-node = { $node } зник.
gone-object = В API немає { $kind } { $key }.
holds = { $invariant }: дотримано.
requests-failed = { $sentence }.
no-request-failed = Ще жоден запит не був невдалим.

deleted-by-request = видалено за запитом
preempted = його витіснив Pod із вищим пріоритетом
tainted = його вузол має заплямованість NoExecute, якої він не толерує
evicted = виселено через очищення або інший добровільний розлад
node-gone = його вузла немає, тож його прибрав збирач сміття для Podʼів
node-pressure = його виселив kubelet: вузол під тиском

unknown-to-api = невідомий API
no-status = статусу ще немає
waiting = чекає
waiting-because = чекає: { $reason }
running = працює
ended = завершився: { $reason }, код виходу { $code }
runs-since = працює з { $since }
runs-since-with-signals = працює з { $since }, отримав { $signals }

claim = заявка { $name }
scratch = тимчасове місце, що живе, доки живе Pod
scratch-with-data = тимчасове місце, що живе, доки живе Pod: { $written }
written = { $size } від { $container } з { $since }
nfs = NFS: не перешкоджає другому записувачу
host-path = каталог вузла
volume = том
attached = приєднано
