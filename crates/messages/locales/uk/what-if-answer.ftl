blocked = Не можна виселити
volumes-that-stay = Томи, що лишаються
less-than-before = Менше, ніж було
broken-guarantees = Порушені гарантії
can-go = Можна прибрати
are-needed = Потрібні

in-draws = { $what } (у { $often } з { $draws ->
    [one] { $draws } випадкового прогону
   *[other] { $draws } випадкових прогонів
 })
stays = { $pod } лишається: { $why }
budget-allows = { $budget } дозволяє { $allowed ->
    [one] { $allowed } розлад
    [few] { $allowed } розлади
    [many] { $allowed } розладів
   *[other] { $allowed } розладу
 }, потрібно { $needed }
still-on-node = він ще на вузлі

not-scheduled = ще не розміщено
still-terminating = ще завершується: його вузол не підтверджує кінця, і імʼя лишається зайнятим
no-controller = не має контролера: ніхто його не замінить
daemon-goes = Pod DaemonSetʼа зникає разом із вузлом
not-replaced = { $kind } { $name } його не замінив

volume-stays = { $pod }, том { $volume }: { $why }
directory-of-node = PersistentVolume { $volume } — це каталог на вузлі: його вміст лишається там
usable-nowhere = PersistentVolume { $volume } не можна використати на жодному вузлі
usable-only-on = PersistentVolume { $volume } можна використати лише на { $nodes }
usable-only-on-more = PersistentVolume { $volume } можна використати лише на { $nodes } і ще { $more }
empty-dir = emptyDir: його вміст видаляється разом із Podʼом
host-path = hostPath { $path }: його вміст лишається на { $node }

less = { $object }: { $level } протягом { $seconds } с
less-still = { $object }: { $level } протягом { $seconds } с, і наприкінці досі так
available-replicas = доступних реплік { $least } з { $wanted }
healthy-pods = справних Podʼів { $least } з { $wanted }
ready-endpoints = готових кінцевих точок { $least } з { $wanted }

breaks = порушує **{ $name }**

drained = { $node }: { $pods ->
    [one] { $pods } Pod іде
    [few] { $pods } Podʼи йдуть
    [many] { $pods } Podʼів ідуть
   *[other] { $pods } Podʼа йдуть
 } за { $seconds } с
not-drained = { $node }: { $pod }: { $why }
node-can-go = можна прибрати: { $drained }
node-is-needed = потрібен: { $not-drained }

summary = Розміщено: { $placed }, без вузла: { $left }, не можна виселити: { $blocked }; минуло { $seconds } с.
summary-of-draws = { $draws ->
    [one] Розміщено: { $placed }, без вузла: { $left }, не можна виселити: { $blocked }; минуло { $seconds } с, { $draws } випадковий прогін.
    [few] Розміщено: { $placed }, без вузла: { $left }, не можна виселити: { $blocked }; минуло { $seconds } с, { $draws } випадкові прогони.
    [many] Розміщено: { $placed }, без вузла: { $left }, не можна виселити: { $blocked }; минуло { $seconds } с, { $draws } випадкових прогонів.
   *[other] Розміщено: { $placed }, без вузла: { $left }, не можна виселити: { $blocked }; минуло { $seconds } с, { $draws } випадкового прогону.
}
nodes-can-go = { $count ->
    [0] Жодного вузла не можна прибрати.
    [1] Можна прибрати { $count } вузол; його очищення просимульовано.
    [one] Можна прибрати разом { $count } вузол; їхні очищення просимульовано.
    [few] Можна прибрати разом { $count } вузли; їхні очищення просимульовано.
    [many] Можна прибрати разом { $count } вузлів; їхні очищення просимульовано.
   *[other] Можна прибрати разом { $count } вузла; їхні очищення просимульовано.
}

fit = { $count ->
    [0] Більше жоден такий Pod не вміститься.
    [one] Уміститься ще { $count } такий Pod.
    [few] Умістяться ще { $count } такі Podʼи.
    [many] Уміститься ще { $count } таких Podʼів.
   *[other] Уміститься ще { $count } такого Podʼа.
}
fit-of-shapes = { $count ->
    [one] Уміститься ще { $count } Pod цих видів.
    [few] Умістяться ще { $count } Podʼи цих видів.
    [many] Уміститься ще { $count } Podʼів цих видів.
   *[other] Уміститься ще { $count } Podʼа цих видів.
}
fit-at-least = { $count ->
    [one] Уміститься ще { $count } такий Pod; далі не рахували.
    [few] Умістяться ще { $count } такі Podʼи; далі не рахували.
    [many] Уміститься ще { $count } таких Podʼів; далі не рахували.
   *[other] Уміститься ще { $count } такого Podʼа; далі не рахували.
}
fit-daemon-set = Pod DaemonSetʼа вміститься на { $count } з { $wanted ->
    [one] { $wanted } вузла
   *[other] { $wanted } вузлів
 }.
shape = { $shape }: { $count }
shape-stops = { $shape }: { $count }; наступний не вміститься
refused-by = { $reason }: { $nodes }
refused-by-more = { $reason }: { $nodes } і ще { $more }
room-for = місце для { $count }: `{ $commands }`
