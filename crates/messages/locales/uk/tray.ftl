name = Podʼи в очікуванні
name-other-run = Podʼи в очікуванні, інший прогін
hidden = на що він чекає, приховано до вашої відповіді
pending = { $count ->
    [one] { $count } очікує:
    [few] { $count } очікують:
    [many] { $count } очікують:
   *[other] { $count } очікують:
}
pending-heading = Очікують: { $count }
what-would-help = Що допомогло б?

pods-of-cause = { $count ->
    [one] { $count } Pod: { $cause }
    [few] { $count } Podʼи: { $cause }
    [many] { $count } Podʼів: { $cause }
   *[other] { $count } Podʼів: { $cause }
}
found-pods-of-cause = { $count ->
    [one] { $found } з { $count } Podʼа: { $cause }
   *[other] { $found } з { $count } Podʼів: { $cause }
}
most-frequent-cause = { $count } з { $all }: { $cause }
more-pods = { $count ->
    [one] і ще { $count } Pod з інших причин
    [few] і ще { $count } Podʼи з інших причин
    [many] і ще { $count } Podʼів з інших причин
   *[other] і ще { $count } Podʼів з інших причин
}
show-fewer = Показати менше
show-fewer-causes = Показати менше причин
