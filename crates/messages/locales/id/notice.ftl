time-is-paused = Waktu berhenti: jalankan atau maju selangkah untuk melihat kelanjutannya.
waits-for-answer = Waktu menunggu jawaban Anda: pilih salah satu dalam cerita, atau tekan *Saya tidak tahu*.
command-waits-for-answer = Waktu menunggu jawaban Anda dalam cerita: akibat perintah ini datang sesudahnya.
nothing-to-undo = tidak ada perintah yang bisa diurungkan di cabang ini
no-solution = Cerita ini tidak punya solusi yang bisa dijalankan dari sini.
piped-late = error: pipe mengambil apa yang langsung dicetak; jawaban perintah ini datang selagi waktu berjalan

request-waits = { $what } menunggu sampai { $until } tercapai
request-dropped = tidak dilakukan, { $until } tidak tercapai: { $what }
too-many-wait = tidak dilakukan: sudah ada { $most } permintaan yang menunggu sampai { $until } tercapai

play = “Jalankan”
step = kejadian berikutnya
next-decision = keputusan berikutnya
skip = lompatan
fork = cabang
undo = “Urungkan”
remedy = perbaikan
seek = perpindahan ke saat lain

lines-wait = Menunggu sampai `{ $command }` berakhir: { $lines }. Ctrl-C mengakhirinya dan membuang yang menunggu.
lines-dropped = tidak dijalankan: { $lines }
too-many-lines = tidak dijalankan: paling banyak { $most } baris boleh menunggu
lines = { $more ->
    [0] { $first }
   *[other] { $first } dan { $more } baris lagi
}

limit-branches = sebuah sesi memuat paling banyak { $most } cabang
limit-commands = sebuah cabang memuat paling banyak { $most } perintah
limit-records = simulasi memuat paling banyak { $most } catatan: ia berhenti di sini

goal-invariant = Jaminan tidak punya field; tulis `always` di berkasnya.
goal-no-object = Sekarang tidak ada objek seperti itu.
goal-no-field = Tidak ada field di baris ini.
goal-unsupported-field = Field ini tidak bisa menjadi tujuan.
goal-differs-per-run = Tidak ada pembaca yang akan mencapai tujuan ini: setiap simulasi memberi field ini nilainya sendiri.
goal-drawn-name = Tidak ada pembaca yang akan mencapai tujuan ini: setiap simulasi mengundi nama Pod-nya. Fase, Node, kesiapan, dan label Pod seperti itu bisa menjadi tujuan, untuk semua Pod dengan label yang sama; atau pilih sebuah field dari pemiliknya.

other-engine = Tautan ini dibuat oleh mesin simulasi { $maker }; yang ini { $own }, yang mengambil keputusan lain pada suatu saat sebelum { $before }.
other-engine-followed = Tautan ini dibuat oleh mesin simulasi { $maker }, yang mengikuti Kubernetes { $followed }; yang ini { $own }, yang mengambil keputusan lain pada suatu saat sebelum { $before }.
