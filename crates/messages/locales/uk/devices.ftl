devices = Пристрої
counted = { $count ->
    [one] { $count } пристрій: { $counts }
    [few] { $count } пристрої: { $counts }
    [many] { $count } пристроїв: { $counts }
   *[other] { $count } пристроїв: { $counts }
}
held = { $count ->
    [one] { $count } зайнятий
    [few] { $count } зайняті
    [many] { $count } зайнятих
   *[other] { $count } зайнятих
}
shared = { $count ->
    [one] { $count } спільний
    [few] { $count } спільні
    [many] { $count } спільних
   *[other] { $count } спільних
}
blocked = { $count ->
    [one] { $count } заблокований
    [few] { $count } заблоковані
    [many] { $count } заблокованих
   *[other] { $count } заблокованих
}
tainted = { $count ->
    [one] { $count } заплямований
    [few] { $count } заплямовані
    [many] { $count } заплямованих
   *[other] { $count } заплямованих
}
free = { $count ->
    [one] { $count } вільний
    [few] { $count } вільні
    [many] { $count } вільних
   *[other] { $count } вільних
}

taint = Заплямованість
blocked-other-devices = Заблоковано: інші пристрої вичерпали
held-by = Зайнято заявкою
share-held-by = Частку зайнято заявкою
reserved-for-none = не зарезервовано для жодного Podʼа
for-pods = для { $pods }
