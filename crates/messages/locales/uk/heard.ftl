name = Що відбувається
is-bound-to = привʼязано до
other-things = { $count ->
    [one] сталася ще { $count } подія
    [few] сталися ще { $count } події
    [many] сталося ще { $count } подій
   *[other] сталося ще { $count } подій
}
goals-reached = { $count ->
    [1] досягнуто цілі
    [one] досягнуто { $count } цілі
    [few] досягнуто { $count } цілей
    [many] досягнуто { $count } цілей
   *[other] досягнуто { $count } цілей
}
question = розповідь ставить запитання, і час чекає
step = можна читати крок { $number } розповіді
