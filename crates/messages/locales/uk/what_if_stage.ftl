would-go = { $pod } пішов би на { $node }
would-stay = { $pod } лишився б Pending
now-on = зараз на { $node }

drained-short = очищено
drained = було б очищено
off-short = вимк.
off = втратив би живлення
would-come = { $count ->
    [one] { $count } прийшов би
    [few] { $count } прийшли б
    [many] { $count } прийшли б
   *[other] { $count } прийшли б
}
can-go = можна прибрати
more-fit = { $count ->
    [0] більше не вміститься
    [one] вміститься ще { $count }
    [few] вмістяться ще { $count }
    [many] вміститься ще { $count }
   *[other] вміститься ще { $count }
}
