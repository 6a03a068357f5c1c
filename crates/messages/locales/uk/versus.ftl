name = У чому різниця
same-so-far = Досі обидва прогони однакові.
first-difference = Перша відмінність о { $instant }:
in-this-run = { $event } (цей прогін)
in-the-other = { $event } (інший)
go-there = Перейти туди
no-pod-differs = Podʼи зараз однакові
pods-differ = { $count ->
    [one] Зараз відрізняється { $count } Pod
    [few] Зараз відрізняються { $count } Podʼи
    [many] Зараз відрізняються { $count } Podʼів
   *[other] Зараз відрізняються { $count } Podʼів
}
pods-differ-hint = Обведено на сцені: перейти туди; ще раз — до наступного
figures = Показники
