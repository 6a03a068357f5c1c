requests-exceed-allocatable = запити на { $node } перевищують те, що там доступно для Podʼів: { $resources }
location = на { $node } з { $since }
force-deletes = { $actor } видаляє { $pod } із періодом завершення 0, не знаючи, чи там справді вже нічого не працює
created-beside-older = { $pod } створено, коли це імʼя ще мав старіший Pod
detached-from-unfenced = том { $volume } відʼєднано від { $node }, а той не огороджено, і том на ньому змонтовано для { $pod }
deleted-while-unfenced = { $pod } видалено примусово, поки він працює на { $node }, недосяжному і не огородженому
nobody = ніхто
holder-changed = вузол, до якого приєднано том, змінився, і ніхто цього не спостеріг: { $old } → { $new }
starts-without-volume = на { $node } запускається контейнер, а том { $volume } до цього вузла не приєднано
phase-went-back = фаза повернулася з { $old } до { $new }
deletion-taken-back = deletionTimestamp прибрано: видалення взято назад
grace-grew = період завершення зріс із { $was } с до { $is } с
node-name-changed = spec.nodeName змінився
started-where-not-bound = контейнер запущено на { $node }, до якого Pod не привʼязано
backend-admits-several = сховище { $volume }, що приймає кілька вузлів
writable-by-two = у { $volume } можуть писати двоє: { $one } і { $other }
pod-at-place = { $pod } { $place }
killed-after-signal = SIGKILL через { $time } після сигналу зупинки
killed-in-grace = SIGKILL через { $time }, а період завершення — { $grace } с
skew-exceeded = розміщено в { $key } { $domain }, де відхилення стає { $skew }, а дозволено щонайбільше { $limit }
priority-not-lower = пріоритет { $victim } не нижчий за { $preemptor }, пріоритет { $pod }
is-on-node-already = { $pod } уже на { $node }
tainted-too-early = зона { $zone } отримала наступну заплямованість NoExecute раніше ніж о { $next }
nothing-changed = відсутність змін протягом { $time } після того, як усе полагоджено
still-attached = том { $volume } досі приєднано до { $node }, де він нікому не потрібен
no-machine = відсутність машини { $node }
removed-earlier-pod = { $actor }, що прибрав попередній Pod
too-many-daemons = { $active ->
    [one] { $active } активний Pod
    [few] { $active } активні Podʼи
    [many] { $active } активних Podʼів
   *[other] { $active } активного Podʼа
 } DaemonSetʼа { $set } на { $node }
fits-and-waits = уміщається на вузлі, а його не розміщено
still-run = процеси { $pod } досі працюють на { $node }
namespace-still-terminating = простір імен { $name } досі видаляється
node-not-restored = { $node } досі не став знову Ready або ще заплямований
replicas-differ = { $workload } має Podʼів: { $have } з { $wanted }
still-nominated = його досі номіновано на { $node }
sends-to-ended = { $node } досі надсилає запити до { $service } на { $pod }, хоча про його кінець почув о { $since }
too-many-replicas = реплік { $total }, а дозволено { $replicas } + { $surge }
removed-while-running = прибрано, поки ще працює { $containers }
disruptions-allowed = disruptionsAllowed — { $allowed }
too-many-evictions = виселення { $number } за бюджету, що дозволяє { $allowed }: { $pod }
two-processes = працюють процеси двох Podʼів { $pod }: { $one } і { $other }
replaced-while-partitioned = { $pod } замінено, поки { $node } відрізано
by-exception = { $who } ({ $exception })
ran-at-start = маніфести сценарію: Pod, що вже працював
nobody-removed-earlier-pod = попередній Pod, якого ніхто не прибирав
fencing-without-fence = контролер огородження, без самого огородження
has-own-node-name = Pod із власним spec.nodeName (CT-171: пряма привʼязка)
both-exist = обидва Podʼи, що існують водночас
control-plane = панелі управління
storage = сховищі
