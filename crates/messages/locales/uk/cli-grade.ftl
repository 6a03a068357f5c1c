student = УЧЕНЬ
lesson = УРОК
finished = ЗАВЕРШЕНО
goals = ЦІЛІ
answers = ВІДПОВІДІ
hints = ПІДКАЗКИ
shown = ПОКАЗАНО
minutes = ХВИЛИНИ
check = ПЕРЕВІРКА

yes = так
no = ні
replayed = відтворено

passed = { $student }: { $percent } %, складено{ $missing ->
    [0] { "" }
    [one] , { $missing } завдання без прогону
    [few] , { $missing } завдання без прогону
    [many] , { $missing } завдань без прогону
   *[other] , { $missing } завдання без прогону
}
not-passed = { $student }: { $percent } %, не складено{ $missing ->
    [0] { "" }
    [one] , { $missing } завдання без прогону
    [few] , { $missing } завдання без прогону
    [many] , { $missing } завдань без прогону
   *[other] , { $missing } завдання без прогону
}
mistake = { $wrong } — так відповіли { $count } з { $of }; прогін каже { $right }
