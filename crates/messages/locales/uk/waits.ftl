next = наступний у черзі
stranded = чекає на планувальник, що працює
etcd = чекає на etcd, недосяжний для сервера API
api-server = чекає на сервер API, який не працює
foreign = чекає на планувальник `{ $scheduler }`, який тут не працює
volume = має вузол: чекає на свій том у PreBind
binding = має вузол: триває привʼязка
backoff-until = затримка, нова спроба через { $time }
backoff = затримка
event = чекає на подію, що може допомогти, або на перегляд черги через пʼять хвилин
event-for = чекає на подію, що може допомогти { $plugins }, або на перегляд черги через пʼять хвилин
unknown = ніхто не може сказати, чому він чекає
unknown-said = ніхто не може сказати, чому він чекає; справжній планувальник сказав: { $message }
gated = його тримають шлюзи планування: { $gates }
room = чекає, доки зʼявиться місце на { $node }
victims = { $count ->
    [one] чекає, доки { $names } залишить { $node }{ $left }
    [few] чекає, доки { $names } залишать { $node }{ $left }
    [many] чекає, доки { $names } залишать { $node }{ $left }
   *[other] чекає, доки { $names } залишать { $node }{ $left }
}
victims-and-more = чекає, доки { $names } і ще { $more } залишать { $node }{ $left }

pod-stranded = { $pod } чекає на планувальник, що працює.
pod-etcd = { $pod } чекає на etcd, недосяжний для сервера API.
pod-api-server = { $pod } чекає на сервер API, який не працює.
pod-foreign = { $pod } чекає на планувальник `{ $scheduler }`, який тут не працює.
pod-volume = { $pod } має вузол: чекає на свій том у PreBind.
pod-binding = { $pod } має вузол: триває привʼязка.
pod-gated = Планування заблоковано, бо список шлюзів планування не порожній: { $gates }.
pod-room = { $pod } чекає, доки зʼявиться місце на { $node }.
pod-victims = { $count ->
    [one] { $pod } чекає, доки { $names } залишить { $node }{ $left }.
    [few] { $pod } чекає, доки { $names } залишать { $node }{ $left }.
    [many] { $pod } чекає, доки { $names } залишать { $node }{ $left }.
   *[other] { $pod } чекає, доки { $names } залишать { $node }{ $left }.
}
pod-victims-and-more = { $pod } чекає, доки { $names } і ще { $more } залишать { $node }{ $left }.

cause-none = вузла ще немає
cause-gated = тримає шлюз планування
cause-room = звільняється місце
cause-foreign = планувальник `{ $scheduler }` тут не працює
cause-binding = триває привʼязка
cause-no-nodes = вузлів немає
cause-stranded = немає планувальника
cause-etcd = etcd недосяжний
cause-api-server = сервер API не працює
cause-not-looked = ще не розглянуто
cause-counted = { $cause } на { $nodes } з { $all }
