nobody-can-say = Ніхто не може сказати, чому цей Pod у стані Pending: { $what }.
real-scheduler-said = Справжній планувальник сказав:
not-looked-at-yet = Планувальник ще не дивився на цей Pod.
scheduler-not-asked = Його привʼязано до t = 0, або він прийшов разом зі своїм вузлом: планувальник не питали.
attempt = Спроба { $number } з { $count } · { $instant }
last-attempt = Остання спроба
attempt-before = Попередня спроба
next-attempt = Наступна спроба
as-the-event-says = Як каже подія

cannot-take-it = Не можуть прийняти ({ $count })
nodes = { $count ->
    [one] { $count } вузол
    [few] { $count } вузли
    [many] { $count } вузлів
   *[other] { $count } вузлів
}
and-more = і ще { $count }
devices = Пристрої

scores = Оцінки
plugin = втулок
weight = вага
total = разом
what-it-adds = Що додає { $plugin }
and-more-nodes = { $count ->
    [one] і ще { $count } вузол
    [few] і ще { $count } вузли
    [many] і ще { $count } вузлів
   *[other] і ще { $count } вузлів
}

spread-by = Поширення за { $key }
spread-hard = Найпорожніший має { $least }; maxSkew { $skew } дозволяє щонайбільше { $limit } у кожному.
spread-soft = Найпорожніший має { $least }; за maxSkew { $skew } бажано щонайбільше { $limit } у кожному.
spread-hard-few-domains = { $wanted ->
    [one] Найпорожніший рахують за 0: є { $found } з { $wanted } домену (minDomains { $wanted }); maxSkew { $skew } дозволяє щонайбільше { $limit } у кожному.
   *[other] Найпорожніший рахують за 0: є { $found } з { $wanted } доменів (minDomains { $wanted }); maxSkew { $skew } дозволяє щонайбільше { $limit } у кожному.
}
spread-soft-few-domains = { $wanted ->
    [one] Найпорожніший рахують за 0: є { $found } з { $wanted } домену (minDomains { $wanted }); за maxSkew { $skew } бажано щонайбільше { $limit } у кожному.
   *[other] Найпорожніший рахують за 0: є { $found } з { $wanted } доменів (minDomains { $wanted }); за maxSkew { $skew } бажано щонайбільше { $limit } у кожному.
}
full = повний
full-hint = З цим Podʼом відхилення було б { $skew }
not-scored = без оцінки
not-scored-hint = Жоден вузол там не може прийняти Pod

making-room = Звільнення місця
nominated = номіновано
victims = жертви: { $pods }
may-stay = можуть лишитися: { $pods }
victim = { $pod } (пріоритет { $priority })
no-pods = немає
against-budget = порушень бюджету розладів: { $count }

what-would-help = Що допомогло б?
what-would-help-pod = Що допомогло б { $pod }?
trying = Випробовуються зміни
stop = Зупинити
try-on-branch = Випробувати на гілці
try-remedy = Випробувати на гілці: { $remedy }
one-more-node = Ще один вузол групи
nothing-found = Не знайдено жодної окремої зміни, з якою його вдалося б розмістити.
nothing-can-be-tried = Жодної зміни не можна випробувати: { $what }. Коли це буде серед файлів, буде й відповідь.
nothing-found-foreign = Жодної окремої зміни не знайдено: планувальник `{ $scheduler }` тут не працює, а жоден із тих, що працюють, не має для нього вузла.
