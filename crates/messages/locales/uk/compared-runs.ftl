pods-placed = Podʼів розміщено
pods-pending = Podʼів у стані Pending
nodes-used = вузлів використано
allocated = { $resource }: запитано
deviation = { $resource }: стандартне відхилення
jain-index = { $resource }: індекс Джейна
largest-free = { $resource }: найбільше вільного на вузлі
by-node = { $resource } за вузлами
devices-allocated = пристроїв виділено
of = { $allocated } з { $devices }
pods-in-a-zone = Podʼів у зоні
range = від { $fewest } до { $most }
preemptions = витіснень
mean-time-to-place = час до розміщення, середній
longest-time-to-place = час до розміщення, найдовший

pods-elsewhere = Podʼи на інших вузлах
pod = { $pod }: { $nodes }
beside = { $one } | { $other }
no-node = без вузла
and-more = і ще { $count }
other-nodes = { $count ->
    [0] В обох прогонах кожен Pod має той самий вузол.
    [one] { $count } Pod має інший вузол.
    [few] { $count } Podʼи мають інший вузол.
    [many] { $count } Podʼів мають інший вузол.
   *[other] { $count } Podʼа мають інший вузол.
}
