and-more = { $count ->
    [one] { $problem } (і ще { $count } проблема)
    [few] { $problem } (і ще { $count } проблеми)
    [many] { $problem } (і ще { $count } проблем)
   *[other] { $problem } (і ще { $count } проблеми)
}
no-lesson = немає уроку { $name }
no-family = немає теми практики { $name }
no-families = немає жодної теми практики
no-course = немає курсу { $name }
no-task = із зерном { $seed } на рівні { $level } не вдалося скласти завдання, що має рівно одну правильну відповідь
