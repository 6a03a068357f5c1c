cut-off = Відрізати
lose-inbound = Губити те, що йде до нього
heal-links = Полагодити зʼєднання
uncordon = Відкрити
cordon = Закрити
drain = Очистити
crash-kubelet = Обвалити kubelet
restart-kubelet = Перезапустити kubelet
crash-runtime = Обвалити runtime
restart-runtime = Перезапустити runtime
power-off = Вимкнути
boot = Увімкнути
back-in-service = Знову в експлуатації
out-of-service = Позначити «не в експлуатації»
delete-node = Видалити обʼєкт Node

heal-zone = Полагодити зону
cut-zone = Відрізати зону

heal-node-links = Полагодити зʼєднання вузла
power-machine-off = Вимкнути машину
delete-pod = Видалити
force-delete-pod = Видалити примусово
break-sandbox = Зламати пісочницю

scale-up = Збільшити
scale-down = Зменшити
restart-rollout = Перезапустити
delete-object = Видалити

stop-etcd = Зупинити etcd
start-etcd = Запустити etcd
crash-component = Обвалити
restart-component = Перезапустити
start-second = Запустити другий

heal-all = Полагодити все
heal-zone-named = Полагодити зону { $zone }
cut-zone-named = Відрізати зону { $zone }
cut-off-named = Відрізати { $node }
heal-named = Полагодити { $node }
power-off-named = Вимкнути { $node }
boot-named = Увімкнути { $node }
force-delete-named = Видалити примусово { $pod }
delete-named = Видалити { $pod }
cordon-named = Закрити { $node }
uncordon-named = Відкрити { $node }
drain-named = Очистити { $node }

node-is-cut-off = { $node } відрізано: його Podʼи працюють там далі, але ніхто про них не чує.
node-is-off = { $node } вимкнено: там нічого не працює.

detach-warning = Том забирають, хоча його вузол, можливо, ще в нього пише. Без попереднього огородження на одному томі можуть зустрітися два записувачі.
force-delete-warning = Негайне видалення не чекає підтвердження, що ресурс, який працює, завершено. Ресурс може працювати в кластері далі невизначений час. Для StatefulSetʼа це означає, що водночас можуть працювати два учасники з одним імʼям.
delete-node-warning = Видалення обʼєкта Node каже Kubernetes, що машини більше немає: тоді збирач сміття для Podʼів примусово видаляє її Podʼи. Якщо машина ще працює, працюють і вони.
delete-namespace-warning = Видалення простору імен видаляє все, що в ньому є. Відкликати його неможливо, і воно чекає на Podʼи відрізаних вузлів.
force-drain-warning = Podʼи без контролера теж видаляються; ніщо їх не поверне.
out-of-service-warning = «Не в експлуатації» означає: я знаю, що ця машина не працює. Її Podʼи одразу видаляються примусово, а їхні томи відʼєднуються. Якщо машина ще працює, на одному томі можуть зустрітися два записувачі.

cannot-move-ghost = { $pod } — це процес, про який API забув: ніхто не може попросити його перейти на { $node }.
cannot-move-pending = Де працює { $pod }, вирішує планувальник. Щоб він вибрав { $node }, змініть те, на що він дивиться: мітки, заплямованості, запити.
cannot-move-bound = Pod ніколи не переміщують: { $pod } один раз привʼязано до { $from }, і там він залишиться до свого кінця. Міграції наживо немає. Видаліть його, і його контролер створить новий Pod, який планувальник може розмістити на { $node }.
