will-not-ready = { $count ->
    [1] { $name } стане NotReady
    [one] { $count } вузол стане NotReady
    [few] { $count } вузли стануть NotReady
    [many] { $count } вузлів стануть NotReady
   *[other] { $count } вузлів стануть NotReady
}
will-evicted = { $count ->
    [1] { $name } буде виселено
    [one] { $count } Pod буде виселено
    [few] { $count } Podʼи буде виселено
    [many] { $count } Podʼів буде виселено
   *[other] { $count } Podʼів буде виселено
}
will-lease = { $count ->
    [1] інший процес візьме лізинг { $name }
    [one] інші процеси візьмуть { $count } лізинг
    [few] інші процеси візьмуть { $count } лізинги
    [many] інші процеси візьмуть { $count } лізингів
   *[other] інші процеси візьмуть { $count } лізингів
}
will-attempt = { $count ->
    [1] планувальник спробує { $name } знову
    [one] планувальник спробує { $count } Pod знову
    [few] планувальник спробує { $count } Podʼи знову
    [many] планувальник спробує { $count } Podʼів знову
   *[other] планувальник спробує { $count } Podʼів знову
}
will-back-off = { $count ->
    [1] { $name } запуститься знову
    [one] { $count } контейнер запуститься знову
    [few] { $count } контейнери запустяться знову
    [many] { $count } контейнерів запустяться знову
   *[other] { $count } контейнерів запустяться знову
}
will-probe = { $count ->
    [1] проба { $name } досить разів зазнає невдачі
    [one] проби { $count } контейнера досить разів зазнають невдачі
    [few] проби { $count } контейнерів досить разів зазнають невдачі
    [many] проби { $count } контейнерів досить разів зазнають невдачі
   *[other] проби { $count } контейнерів досить разів зазнають невдачі
}
will-stop-signal = { $count ->
    [1] мине час хука preStop у { $name }
    [one] мине час хука preStop у { $count } контейнері
    [few] мине час хука preStop у { $count } контейнерах
    [many] мине час хука preStop у { $count } контейнерах
   *[other] мине час хука preStop у { $count } контейнерах
}
will-kill = { $count ->
    [1] { $name } отримає SIGKILL
    [one] { $count } контейнер отримає SIGKILL
    [few] { $count } контейнери отримають SIGKILL
    [many] { $count } контейнерів отримають SIGKILL
   *[other] { $count } контейнерів отримають SIGKILL
}
will-exit = { $count ->
    [1] { $name } завершиться сам
    [one] { $count } контейнер завершиться сам
    [few] { $count } контейнери завершаться самі
    [many] { $count } контейнерів завершаться самі
   *[other] { $count } контейнерів завершаться самі
}
will-job = { $count ->
    [1] { $name } створить Job
    [one] { $count } CronJob створить Job
    [few] { $count } CronJobʼи створять Job
    [many] { $count } CronJobʼів створять Job
   *[other] { $count } CronJobʼів створять Job
}
will-script = сценарій піде далі
will-story = розповідь піде далі
will-solution = { $count ->
    [1] розвʼязок виконає { $name }
    [one] розвʼязок виконає { $count } команду
    [few] розвʼязок виконає { $count } команди
    [many] розвʼязок виконає { $count } команд
   *[other] розвʼязок виконає { $count } команд
}

event-in = { $event } через { $time }
in-time = через { $time }
events-in = { $event } через { $time }, { $then } через { $then-time }

was-not-ready = { $count ->
    [1] { $name } став NotReady
    [one] { $count } вузол став NotReady
    [few] { $count } вузли стали NotReady
    [many] { $count } вузлів стали NotReady
   *[other] { $count } вузлів стали NotReady
}
was-evicted = { $count ->
    [1] { $name } виселено
    [one] { $count } Pod виселено
    [few] { $count } Podʼи виселено
    [many] { $count } Podʼів виселено
   *[other] { $count } Podʼів виселено
}
was-lease = { $count ->
    [1] лізинг { $name } має нового власника
    [one] { $count } лізинг має нового власника
    [few] { $count } лізинги мають нового власника
    [many] { $count } лізингів мають нового власника
   *[other] { $count } лізингів мають нового власника
}
was-attempt = { $count ->
    [1] планувальник спробував { $name } знову
    [one] планувальник спробував { $count } Pod знову
    [few] планувальник спробував { $count } Podʼи знову
    [many] планувальник спробував { $count } Podʼів знову
   *[other] планувальник спробував { $count } Podʼів знову
}
was-back-off = { $count ->
    [1] { $name } запущено знову
    [one] { $count } контейнер запущено знову
    [few] { $count } контейнери запущено знову
    [many] { $count } контейнерів запущено знову
   *[other] { $count } контейнерів запущено знову
}
was-probe = { $count ->
    [1] проба { $name } невдала
    [one] проби { $count } контейнера невдалі
    [few] проби { $count } контейнерів невдалі
    [many] проби { $count } контейнерів невдалі
   *[other] проби { $count } контейнерів невдалі
}
was-stop-signal = { $count ->
    [1] { $name } отримав сигнал зупинки
    [one] { $count } контейнер отримав сигнал зупинки
    [few] { $count } контейнери отримали сигнал зупинки
    [many] { $count } контейнерів отримали сигнал зупинки
   *[other] { $count } контейнерів отримали сигнал зупинки
}
was-kill = { $count ->
    [1] { $name } отримав SIGKILL або завершився ще до того
    [one] { $count } контейнер отримав SIGKILL або завершився ще до того
    [few] { $count } контейнери отримали SIGKILL або завершилися ще до того
    [many] { $count } контейнерів отримали SIGKILL або завершилися ще до того
   *[other] { $count } контейнерів отримали SIGKILL або завершилися ще до того
}
was-exit = { $count ->
    [1] { $name } завершився
    [one] { $count } контейнер завершився
    [few] { $count } контейнери завершилися
    [many] { $count } контейнерів завершилися
   *[other] { $count } контейнерів завершилися
}
was-job = { $count ->
    [1] { $name } створив Job
    [one] { $count } CronJob створив Job
    [few] { $count } CronJobʼи створили Job
    [many] { $count } CronJobʼів створили Job
   *[other] { $count } CronJobʼів створили Job
}
was-script = сценарій пішов далі
was-story = розповідь пішла далі
was-solution = { $count ->
    [1] розвʼязок виконав { $name }
    [one] розвʼязок виконав { $count } команду
    [few] розвʼязок виконав { $count } команди
    [many] розвʼязок виконав { $count } команд
   *[other] розвʼязок виконав { $count } команд
}

mark-evicted = виселено
mark-lease = лізинг
mark-attempt = спроба
mark-back-off = перезапуск
mark-probe = проба
mark-exit = завершення
mark-script = сценарій
mark-story = розповідь
mark-solution = розвʼязок

to-eviction = виселення
to-leader = новий лідер
to-attempt = наступна спроба
to-restart = перезапуск
to-probe = невдала проба
to-exit = завершення
to-job = наступний Job
to-script = наступна подія
to-story = розповідь
to-solution = розвʼязок

stop = Зупинити
until = до { $time }
answer-first = Спершу відповідь
time-waits = час чекає
next-page = Далі
step = крок { $step }
your-move = ваш хід
next-decision = До рішення

skipping = Перехід до { $time }
looking = Пошук рішення, не далі ніж до { $time }
waits-for-answer = Час чекає на відповідь на запитання розповіді
story-goes-on = Розповідь триває
until-decision = Час іде, доки планувальник щось вирішить (n)

showing = Показ: { $name } о { $time }.
occurred = Через { $waited }: { $event }.
did-not-occur = Через { $waited }: до цього не дійшло ({ $event }).
story-went-on = Через { $waited }: розповідь іде далі.
decided = Через { $waited }: планувальник ухвалив рішення.
no-decision = За { $waited }, до { $time }, нічого не вирішено: планувальник чекає на Pod або на щось, що якомусь допоможе.
before-decision = Через { $waited }: { $event }, ще до рішення.
one-event = { $by }: { $what }.
one-event-of = { $by }: { $what } { $of }.
nothing-comes = Минуло десять хвилин, і нічого не змінилося: доки ніхто нічого не робить, нічого й не станеться.
