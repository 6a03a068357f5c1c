other-refused = з іншої причини

balanced-allocation-about = рівномірніше використання cpu і memory

default-binder-about = привʼязує Pod до його вузла

default-preemption-about = місце завдяки завершенню менш важливих Podʼів

dynamic-resources-about = заявки на пристрої
dynamic-resources-refused = без пристроїв, яких просять його заявки
dynamic-resources-no-free-devices = немає вільних пристроїв
dynamic-resources-claim-is-elsewhere = заявка деінде

image-locality-about = образи, що вже є на вузлі

inter-pod-affinity-about = поруч з іншими Podʼами або подалі від них
inter-pod-affinity-refused = проти правил спорідненості Podʼів
inter-pod-affinity-pod-affinity = спорідненість Podʼів
inter-pod-affinity-pod-anti-affinity = антиспорідненість Podʼів
inter-pod-affinity-another-pod-s-anti-affinity = антиспорідненість іншого Podʼа

node-affinity-about = nodeSelector і спорідненість вузла
node-affinity-refused = виключено його селектором вузла або спорідненістю
node-affinity-node-affinity-selector = спорідненість/селектор вузла
node-affinity-the-scheduler-s-node-affinity = спорідненість вузла від планувальника

node-declared-features-about = можливості новіших kubelet
node-declared-features-refused = без потрібної йому можливості новіших kubelet

node-name-about = вузол, указаний за імʼям
node-name-another-node-is-named = указано інший вузол

node-ports-about = порти вузла
node-ports-refused = його порт уже зайнято
node-ports-port-in-use = порт зайнято

node-resources-fit-about = місце для запитів Podʼа
node-resources-fit-refused = замало місця для його запитів

node-unschedulable-about = закриті вузли
node-unschedulable-refused = закрито
node-unschedulable-unschedulable = закрито для планування

node-volume-limits-about = скільки томів можна приєднати до вузла
node-volume-limits-too-many-volumes = забагато томів

pod-topology-spread-about = поширення Podʼів по доменах
pod-topology-spread-refused = проти його обмежень поширення
pod-topology-spread-topology-spread = поширення топології
pod-topology-spread-no-label-to-spread-by = немає мітки для поширення

priority-sort-about = спершу вищий пріоритет

scheduling-gates-about = Pod зі шлюзами чекає

taint-toleration-about = заплямованості й толерантності
taint-toleration-refused = закрито для нього заплямованістю
taint-toleration-untolerated-taint = нетолерована заплямованість

volume-binding-about = томи, досяжні з вузла
volume-binding-its-volume-is-elsewhere = його том деінде
volume-binding-no-volume-to-bind = немає тому для привʼязки
volume-binding-no-free-storage = немає вільного сховища
volume-binding-its-volume-is-lost = його том утрачено
volume-binding-unbound-claims = непривʼязані заявки

volume-restrictions-about = томи лише для одного Podʼа
volume-restrictions-disk-in-use = диск зайнято
volume-restrictions-claim-in-use = заявку зайнято

volume-zone-about = томи й вузли однієї зони
volume-zone-its-volume-s-zone-is-elsewhere = зона його тому деінде

volumes-cannot-serve = без доступу до його томів
