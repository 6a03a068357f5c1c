about-opening = Про те, що відкривається
still-opening = { $count ->
    [one] { $count } проблема. Кластер ще відкривається.
    [few] { $count } проблеми. Кластер ще відкривається.
    [many] { $count } проблем. Кластер ще відкривається.
   *[other] { $count } проблем. Кластер ще відкривається.
}
about-opened = Про відкрите
all-notices = усі { $count }
read = Прочитано
