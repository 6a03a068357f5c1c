will-not-ready = { $count ->
    [1] { $name } menjadi NotReady
   *[other] { $count } Node menjadi NotReady
}
will-evicted = { $count ->
    [1] { $name } diusir
   *[other] { $count } Pod diusir
}
will-lease = { $count ->
    [1] proses lain mengambil lease { $name }
   *[other] proses lain mengambil { $count } lease
}
will-attempt = { $count ->
    [1] penjadwal mencoba { $name } lagi
   *[other] penjadwal mencoba { $count } Pod lagi
}
will-back-off = { $count ->
    [1] { $name } dimulai lagi
   *[other] { $count } kontainer dimulai lagi
}
will-probe = { $count ->
    [1] probe { $name } sudah cukup sering gagal
   *[other] probe { $count } kontainer sudah cukup sering gagal
}
will-stop-signal = { $count ->
    [1] waktu hook preStop { $name } habis
   *[other] waktu hook preStop { $count } kontainer habis
}
will-kill = { $count ->
    [1] { $name } mendapat SIGKILL
   *[other] { $count } kontainer mendapat SIGKILL
}
will-exit = { $count ->
    [1] { $name } berakhir sendiri
   *[other] { $count } kontainer berakhir sendiri
}
will-job = { $count ->
    [1] { $name } membuat sebuah Job
   *[other] { $count } CronJob membuat sebuah Job
}
will-script = skenario berlanjut
will-story = cerita berlanjut
will-solution = { $count ->
    [1] solusi menjalankan { $name }
   *[other] solusi menjalankan { $count } perintah
}

event-in = { $event } dalam { $time }
in-time = dalam { $time }
events-in = { $event } dalam { $time }, { $then } dalam { $then-time }

was-not-ready = { $count ->
    [1] { $name } menjadi NotReady
   *[other] { $count } Node menjadi NotReady
}
was-evicted = { $count ->
    [1] { $name } diusir
   *[other] { $count } Pod diusir
}
was-lease = { $count ->
    [1] lease { $name } punya pemegang baru
   *[other] { $count } lease punya pemegang baru
}
was-attempt = { $count ->
    [1] penjadwal mencoba { $name } lagi
   *[other] penjadwal mencoba { $count } Pod lagi
}
was-back-off = { $count ->
    [1] { $name } dimulai lagi
   *[other] { $count } kontainer dimulai lagi
}
was-probe = { $count ->
    [1] probe { $name } gagal
   *[other] probe { $count } kontainer gagal
}
was-stop-signal = { $count ->
    [1] { $name } mendapat sinyal berhenti
   *[other] { $count } kontainer mendapat sinyal berhenti
}
was-kill = { $count ->
    [1] { $name } mendapat SIGKILL, atau saat itu sudah berakhir
   *[other] { $count } kontainer mendapat SIGKILL, atau saat itu sudah berakhir
}
was-exit = { $count ->
    [1] { $name } berakhir
   *[other] { $count } kontainer berakhir
}
was-job = { $count ->
    [1] { $name } membuat sebuah Job
   *[other] { $count } CronJob membuat sebuah Job
}
was-script = skenario berlanjut
was-story = cerita berlanjut
was-solution = { $count ->
    [1] solusi menjalankan { $name }
   *[other] solusi menjalankan { $count } perintah
}

mark-evicted = diusir
mark-lease = lease
mark-attempt = coba lagi
mark-back-off = restart
mark-probe = probe gagal
mark-exit = berakhir
mark-script = skenario
mark-story = cerita
mark-solution = solusi

to-eviction = pengusiran
to-leader = pemimpin baru
to-attempt = percobaan berikutnya
to-restart = restart
to-probe = kegagalan probe
to-exit = saat berakhir
to-job = Job berikutnya
to-script = kejadian berikutnya
to-story = cerita
to-solution = solusi

stop = Hentikan
until = sampai { $time }
answer-first = Jawab dulu
time-waits = waktu menunggu
next-page = Halaman berikutnya
step = langkah { $step }
your-move = giliran Anda
next-decision = Keputusan berikutnya

skipping = Melompat ke { $time }
looking = Mencari keputusan, paling jauh sampai { $time }
waits-for-answer = Waktu menunggu jawaban atas pertanyaan cerita
story-goes-on = Cerita berlanjut
until-decision = Berjalan sampai penjadwal memutuskan sesuatu (n)

showing = Ditunjukkan: { $name } pada { $time }.
occurred = { $waited } kemudian: { $event }.
did-not-occur = { $waited } kemudian: tidak sampai terjadi bahwa { $event }.
story-went-on = { $waited } kemudian: cerita berlanjut.
decided = { $waited } kemudian: penjadwal membuat keputusan.
no-decision = Tidak ada yang diputuskan selama { $waited }, sampai { $time }: penjadwal menunggu sebuah Pod, atau sesuatu yang membantu salah satunya.
before-decision = { $waited } kemudian: { $event }, sebelum ada keputusan.
one-event = { $by }: { $what }.
one-event-of = { $by }: { $what } { $of }.
nothing-comes = Sepuluh menit berlalu, dan tidak ada yang berubah: selama tidak ada yang berbuat sesuatu, tidak akan ada yang berubah.
