would-go = { $pod } akan ditempatkan di { $node }
would-stay = { $pod } akan tetap Pending
now-on = sekarang di { $node }

drained-short = di-drain
drained = akan di-drain
off-short = mati
off = akan kehilangan daya
would-come = { $count } akan masuk
can-go = bisa dilepas
more-fit = { $count ->
    [0] tidak muat lagi
   *[other] { $count } lagi muat
}
