refused-command = відмовлено: { $line }
fault = збій: { $fault }
repaired = полагоджено: { $fault }
fenced = огороджено

created = створено
updated = оновлено
wants-pods = { $replicas ->
    [one] хоче { $replicas } Pod
    [few] хоче { $replicas } Podʼи
    [many] хоче { $replicas } Podʼів
   *[other] хоче { $replicas } Podʼів
}
deletion-requested = { $grace ->
    [0] запит на видалення, без періоду завершення
   *[other] запит на видалення, період завершення { $grace } с
}
deleted = зник з API
refused = відмовлено
refused-because = відмовлено: { $message }
event = подія { $reason }
broken = { $guarantee } порушено
expectation-holds = очікування справдилося
expectation-fails = очікування не справдилося

bound = привʼязано до { $node }
chosen = планувальник вибирає { $node }
no-node-fits = жоден вузол не підходить
preempts = { $preempts ->
    [one] жоден вузол не підходить: витісняє { $preempts } Pod
    [few] жоден вузол не підходить: витісняє { $preempts } Podʼи
    [many] жоден вузол не підходить: витісняє { $preempts } Podʼів
   *[other] жоден вузол не підходить: витісняє { $preempts } Podʼів
}
attempt-failed = спроба планування не вдалася
nominated = номіновано на { $node }
preempted = його витіснив { $by }
gated = тримають шлюзи планування

image-pulled = образ { $image } завантажено
started = { $container } запущено
started-again = { $container } запущено знову, перезапуск { $restarts }
exited = { $container } завершився з кодом { $code }
exited-because = { $container } завершився з кодом { $code }: { $reason }
hook-started = { $container }: хук { $hook } почався
hook-finished = { $container }: хук { $hook } закінчився
hook-failed = { $container }: хук { $hook } не вдався
signal = { $signal } для { $container }
probe-failed = { $container }: проба { $probe } невдала
probe-succeeds = { $container }: проба { $probe } успішна

volume-attached = том { $volume } приєднано
volume-detached = том { $volume } відʼєднано
volume-mounted = том { $volume } змонтовано
volume-unmounted = том { $volume } розмонтовано
volume-corrupted = на один том писали два вузли
registered = зареєстровано
condition = { $condition } — { $status }
condition-because = { $condition } — { $status }: { $reason }
tainted = заплямовано { $taint }
untainted = заплямованість { $taint } прибрано

no-requests = запитів більше немає
requests = запитів за секунду: { $rate }
