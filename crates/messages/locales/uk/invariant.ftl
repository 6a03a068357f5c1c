group-identity = Ідентичність
group-life = Життя
group-termination = Завершення
group-storage = Зберігання даних
group-scheduling = Планування
group-requests = Запити
group-in-the-end = Зрештою

at-most-one = На кожне імʼя учасника StatefulSetʼа є щонайбільше один Pod із живими процесами, хоч би де.
at-most-one-keeper = Контролер StatefulSetʼа чекає, доки старий обʼєкт зникне; відпускає його лише kubelet.
at-most-one-breaker = Примусове видалення, неправдива заплямованість out-of-service або видалення Node машини, що ще працює.

safe-stall = Доки триває розділення мережі, учасника може бракувати або він може завмерти, але двох ніколи немає.
safe-stall-keeper = Контролер StatefulSetʼа: він не робить нічого.
safe-stall-breaker = Те, що порушує at-most-one.

attach-cas = Приєднання змінюють лише з того стану, який спостерігали, а Pod працює лише там, куди приєднано його том.
attach-cas-keeper = Контролер приєднання і kubelet.
attach-cas-breaker = Огородження, що порушує її навмисно.

daemon-one = На кожному вузлі DaemonSet має щонайбільше один активний Pod, не рахуючи надлишкових під час оновлення.
daemon-one-keeper = Контролер DaemonSetʼа.
daemon-one-breaker = Перегони між двома менеджерами контролерів; дублікати прибирають.

detach-live = Том, який нікому не потрібен, зрештою відʼєднують.
detach-live-keeper = Контролер приєднання: після розмонтування, після тайм-ауту або після огородження.
detach-live-breaker = Вимкнений тайм-аут.

evict-throttle = Вузли заплямовують NoExecute не швидше, ніж дозволяє темп їхньої зони, і ніколи, коли темні всі зони.
evict-throttle-keeper = Контролер життєвого циклу вузлів.
evict-throttle-breaker = Люди, що ставлять заплямованості вручну.

fence-before-break = Перш ніж том заберуть силою, підтверджують, що його вузол огороджено.
fence-before-break-keeper = Контролер огородження.
fence-before-break-breaker = Помилка оператора.

force-authority = Із періодом завершення 0 видаляють лише kubelet, збирач загублених Podʼів і люди.
force-authority-keeper = Кожен контролер: він лише просить.
force-authority-breaker = Люди.

forward-only = Фази йдуть лише вперед, хіба що контейнери ініціалізації виконуються знову в новій пісочниці, а видалення ніколи не беруть назад.
forward-only-keeper = Сервер API і kubelet.
forward-only-breaker = Видалений Node, чий kubelet ще звітує, як завершилися його Podʼи.

grace-monotone = Період завершення можна скоротити, але ніколи не подовжити.
grace-monotone-keeper = Сервер API.
grace-monotone-breaker = Падіння kubelet починає відлік знову, з тим самим значенням.

grace-honoured = Між SIGTERM і SIGKILL процес має свій період завершення, за вирахуванням preStop, але щонайменше дві секунди.
grace-honoured-keeper = Kubelet.
grace-honoured-breaker = Друге видалення з коротшим періодом, примусове видалення, виселення, втрачений вузол; kubelet, що повернувся і відхиляє Pod.

nominee-resolved = Номінований Pod зрештою отримує вузол, поступається важливішому, або його видаляють.
nominee-resolved-keeper = Планувальник.
nominee-resolved-breaker = Розділення мережі, якого ніхто не лагодить.

no-orphans = Коли розділення мережі полагоджено, процеси, про які API забув, завершуються.
no-orphans-keeper = Kubelet: чого немає у списку API, те він зупиняє.
no-orphans-breaker = Kubelet або середовище виконання, що не працює.

namespace-gone = Простір імен, який видаляють, зрештою зникає.
namespace-gone-keeper = Контролер просторів імен.
namespace-gone-breaker = Чужі завершувачі; розділення мережі, доки воно триває.

ready-restored = Заплямованості полагодженого вузла зникають, і його Podʼи знову готові.
ready-restored-keeper = Контролер життєвого циклу вузлів і kubelet.
ready-restored-breaker = Ніщо.

converge = Репліки відповідають своїй специфікації, щойно світ заспокоїться.
converge-keeper = Усі контролери.
converge-breaker = Квота, брак місця, відрізаний учасник.

pending-placed = Якщо Pod десь уміщається, він не лишається Pending.
pending-placed-keeper = Планувальник і його черга.
pending-placed-breaker = Шлюзи планування; планувальник, що не працює.

no-early-removal = Обʼєкт Podʼа kubelet прибирає лише тоді, коли не лишилося жодного його процесу.
no-early-removal-keeper = Kubelet.
no-early-removal-breaker = Ніщо.

no-overcommit = Те, що запитують Podʼи, уміщається на вузлі тієї миті, коли їх привʼязують.
no-overcommit-keeper = Планувальник.
no-overcommit-breaker = Застарілий кеш, пряма привʼязка, статичні Podʼи, вузол, що зменшується.

no-request-to-ended = Доки всі звʼязки цілі, до кінцевої точки, що завершилася, не надсилають запитів пізніше ніж через 5 с після того, як про її кінець почув вузол клієнта.
no-request-to-ended-keeper = kube-proxy: записує свої правила щонайбільше через секунду після того, як почув про зміну.
no-request-to-ended-breaker = kube-proxy, що не діє відповідно до почутого.

one-node = Кожен Pod працює на вузлі, до якого його привʼязано, і на жодному іншому; nodeName ніколи не змінюється.
one-node-keeper = Сервер API: він відмовляє у другій привʼязці.
one-node-breaker = Ніщо.

pdb-ledger = Виселення ніколи не витрачають більше, ніж дозволяє бюджет.
pdb-ledger-keeper = Підресурс eviction, щоразу за однією версією статусу бюджету.
pdb-ledger-breaker = Усе, що не є виселенням: видалення, витіснення, втрата вузла.

preempt-lower = Місце втрачають лише Podʼи з нижчим пріоритетом, і лише на користь того, хто на нього чекає.
preempt-lower-keeper = Планувальник.
preempt-lower-breaker = Ніщо.

roll-bound = Викатка не виходить за межі maxSurge і maxUnavailable.
roll-bound-keeper = Контролер Deploymentʼа.
roll-bound-breaker = Podʼів, що завершуються, не рахують, а місце вони ще займають.

single-writer = Том ReadWriteOnce водночас доступний для запису лише на одному вузлі, а ReadWriteOncePod — лише одному Podʼу.
single-writer-keeper = Контролер приєднання і сховища, що відмовляють у другому приєднанні.
single-writer-breaker = Примусове відʼєднання без огородження; сховища, що нікому не відмовляють (NFS).

skew-at-bind = Обмеження DoNotSchedule дотримано тієї миті, коли Pod привʼязують.
skew-at-bind-keeper = Планувальник.
skew-at-bind-breaker = Те, що стається пізніше: видалення, інші мітки.

slot-unique = Контролер StatefulSetʼа ніколи не створює учасника, доки існує обʼєкт із таким імʼям.
slot-unique-keeper = Сервер API: імʼя зайняте, доки обʼєкт не зникне.
slot-unique-breaker = Ніщо.
