story = Cerita
step-of = Langkah { $step } dari { $count }
place-in-group = { $group } · { $step } dari { $count }
place = { $step } dari { $count }
waits-for-question = Waktu menunggu pertanyaan langkah { $step }.
to-question = Ke pertanyaan

begins-when = Cerita dimulai setelah ini terjadi:
time-runs = Waktu berjalan.
time-stands = Waktu berhenti.
skip-to-story = Lompat ke cerita
let-time-run = Jalankan waktu

your-answer = jawaban Anda
so-it-is = kenyataannya
your-answer-right = jawaban Anda, dan memang begitu

try-it = Coba
broken-at = Dilanggar pada { $time }:
broken-after = . Apa yang tercapai setelah itu tidak dihitung.
back-to = Kembali ke { $time }

start-over = Mulai dari awal
next-waits-for-answer = Tombol Berikutnya menunggu jawaban Anda.
next-is-closed = Tombol Berikutnya terkunci: kembalilah, atau mulai dari awal.
next-waits-for = Berikutnya menunggu:
show-me = Tunjukkan
show-me-hint = Pergi ke perintah solusi berikutnya dan menjalankannya; apa yang Anda lakukan tetap ada sebagai cabang
step-before = Langkah sebelumnya
next = Berikutnya ›
to-end = Selesai ›
