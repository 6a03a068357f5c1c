messages = { $count ->
    [one] { $count } повідомлення
    [few] { $count } повідомлення
    [many] { $count } повідомлень
   *[other] { $count } повідомлень
}
more-than-dots = повідомлень більше, ніж точок
