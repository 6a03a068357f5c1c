why-fail = Чому запити до { $pod } невдалі?
calls = звертаються до
no-requests = запитів немає
why-they-failed = Чому вони невдалі
failed = { $count ->
    [one] { $count } невдалий
    [few] { $count } невдалі
    [many] { $count } невдалих
   *[other] { $count } невдалих
}
more = ще +{ $count }

every-node = кожен вузол
node = вузол { $name }
zone = зона { $name }
outside = ззовні
clients = { $count ->
    [one] { $count } клієнт
    [few] { $count } клієнти
    [many] { $count } клієнтів
   *[other] { $count } клієнтів
}
