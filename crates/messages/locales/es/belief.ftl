no-such-node = no conoce ese nodo
ready = Ready
ready-last-heard = Ready, última señal hace { $time }
notready-since = NotReady desde { $instant }
not-ready-since = no listo desde { $instant }

notready-at = NotReady en el minuto { $instant }
nobody-judges-down = nadie lo juzga: { $component } está caído
nobody-judges-no-leader = nadie lo juzga: aún no hay controller-manager líder
evicts = { $count ->
    [one] desaloja 1 Pod en el minuto { $instant }
   *[other] desaloja { $count } Pods en el minuto { $instant }
}
evicts-more = { $count ->
   *[other] { $count } más en el { $instant }
}
evicts-later = { $count ->
   *[other] { $count } más tarde
}
