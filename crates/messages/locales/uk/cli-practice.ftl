task = { $title } (зерно { $seed }, рівень { $level })

right = Правильно. { $why }
wrong = Неправильно. { $why }
right-answer = Правильна відповідь — { $answer }. { $why }
rule = Правило: { $rule }

next = Далі (за SM-2):
level = рівень { $level }
due = { $days ->
    [0] сьогодні
    [1] завтра
    [one] через { $days } день
    [few] через { $days } дні
    [many] через { $days } днів
   *[other] через { $days } дня
}
