no-such-node = такого вузла не знає
ready = Ready
ready-last-heard = Ready, востаннє чути { $time } тому
notready-since = NotReady з { $instant }
not-ready-since = не готовий з { $instant }

notready-at = NotReady о { $instant }
nobody-judges-down = нікому судити: { $component } не працює
nobody-judges-no-leader = нікому судити: жоден менеджер контролерів ще не керує
evicts = { $count ->
    [one] виселить { $count } Pod о { $instant }
    [few] виселить { $count } Podʼи о { $instant }
    [many] виселить { $count } Podʼів о { $instant }
   *[other] виселить { $count } Podʼів о { $instant }
}
evicts-more = ще { $count } о { $instant }
evicts-later = ще { $count } пізніше
