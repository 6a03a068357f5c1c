name = Yang terjadi
is-bound-to = diikat ke
other-things = { $count } hal lain terjadi
goals-reached = { $count ->
    [1] satu tujuan tercapai
   *[other] { $count } tujuan tercapai
}
question = cerita mengajukan pertanyaan, dan waktu menunggu
step = langkah { $number } dari cerita bisa dibaca
