close = Прочитано: закрити
ways-back = Шляхи назад
processes-of-one-name = { $count ->
    [one] { $count } процес, 1 імʼя
    [few] { $count } процеси, 1 імʼя
    [many] { $count } процесів, 1 імʼя
   *[other] { $count } процесів, 1 імʼя
}
broken-by = порушено через { $cause }
was-broken-by = було порушено впродовж { $duration } через { $cause }
