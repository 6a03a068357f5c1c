partition = { $name } відрізано
slow = звʼязки { $name } повільні
leave = { $name } зник назавжди
shutdown = { $name } завершує роботу
power-off = { $name } втрачає живлення
crash-kubelet = { $name }: падає kubelet
crash-runtime = { $name }: падає середовище виконання контейнерів
crash = { $component } падає
second = другий { $component } вважає, що керує він
etcd-down = etcd не працює
exit = { $name }: завершується один із процесів
sandbox = { $name } втрачає пісочницю
detach = { $name } забрано в його вузла
device = { $name }: змінюється пристрій
crash-driver = { $name }: падають драйвери пристроїв

power-on = { $name } вмикається
not-slow = звʼязки { $name } більше не повільні
etcd-up = etcd знову працює
component-starts = { $component } запускається
second-gone = другого { $component } більше немає
kubelet-starts = { $name }: запускається kubelet
runtime-starts = { $name }: запускається середовище виконання
device-back = { $name }: пристрій повернувся
driver-starts = { $name }: запускаються драйвери пристроїв
healed = { $name } полагоджено

cut = { $lost ->
    [incoming] partition { $node } (те, що йде до нього)
    [outgoing] partition { $node } (те, що йде від нього)
   *[both] partition { $node }
}
cut-from = { $lost ->
    [incoming] partition { $node } від { $from } (те, що йде до нього)
    [outgoing] partition { $node } від { $from } (те, що йде від нього)
   *[both] partition { $node } від { $from }
}

joined = { $node } приєднується
cordoned = { $node } закрито
uncordoned = { $node } відкрито
fenced = { $node } огороджено
unfenced = { $node } більше не огороджено
corrupted = { $volume } пошкоджено
tainted = { $node } заплямовано: { $taint }
untainted = { $node } більше не заплямовано: { $key }

evicted-by-taint = { $pod } виселено: заплямованість його вузла
evicted-by-pressure = kubelet виселив { $pod }: тиск на вузлі
ended-by-shutdown = kubelet завершив { $pod }: вузол вимикається
evicted-by-api = { $pod } виселено через API виселення
removed-by-garbage-collector = збирач сміття для Podʼів прибрав { $pod }: його вузла немає або він не в експлуатації
out-of-memory = { $pod }/{ $container }: забракло памʼяті
exited = { $pod }/{ $container } завершився з кодом { $code }
restarted = { $pod }/{ $container } знову працює
no-node = { $pod }: вузла немає
nominated = { $pod } номіновано на { $node }
preempted = { $pod } витіснено

given-more = { $command }: { $objects } і ще { $more }
requests-failing = { $service } { $per-second }/s · невдалих { $failing }/s
