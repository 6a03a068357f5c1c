print = Cetak
about-pages = Halaman berakhir di bawah setiap pertanyaan, karena halaman berikutnya menceritakan apa yang terjadi. Jawabannya ada di halaman tersendiri.
name = Nama: ______________________________
start-over = Mulai dari awal untuk mendapat gambar klaster: sekarang gambarnya akan menunjukkan jawaban pertama.
cluster = Klaster
try-command = Coba:
after = Setelah ____________
qr-code = Kode yang membuka { $address }

answers = Jawaban
other-answers = jawaban lain
rule = Aturannya:
