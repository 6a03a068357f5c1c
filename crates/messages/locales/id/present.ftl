key-next-step = Langkah cerita berikutnya
key-step-before = Langkah sebelumnya
key-spotlight = Lampu sorot
key-code = Kode QR dari saat ini
key-console = Konsol
key-timeline = Garis waktu
key-timer = Pewaktu: hitung mundur lima menit, bisa ditambah atau dikurangi
key-ask = Pertanyaan besar untuk kelas; sekali lagi: apa yang terjadi
key-end = Akhiri

presenting = Presentasi
spotlight = Lampu sorot
qr-code = Kode QR
console = Konsol
timeline = Garis waktu
timer = Pewaktu
end = Akhiri

ask-class = Tanya kelas
question = Pertanyaan untuk kelas
what-happens = Apa yang terjadi?

minute-less = Kurangi satu menit
minute-more = Tambah satu menit
time-left = Sisa waktu

code = Kode QR: tautan ke saat ini
link-too-long = Tautan ini punya { $count } karakter; kode QR memuat 2.953. Bagikan sebagai berkas.
cannot-save = Peramban ini tidak mengizinkan penyimpanan di sini.
save-code = Simpan kode
show-large = Tampilkan besar
