editor = Editor
editor-beside = Editor di samping klaster
close = Tutup editor

begin-with = Mulai dengan
examples = Contoh
a-pod = Sebuah Pod
spread = Deployment yang tersebar di zona
partition = StatefulSet dan partisi
priorities = Prioritas
lesson = Kerangka pelajaran
paste-hint = Tempelkan hasil dari kubectl get … -A -o yaml, atau seret berkas ke sini.

found = Yang ditemukan dalam teks
advice = Saran
gap = bagian kosong: ganti ___
nothing-to-apply = Belum ada yang bisa diterapkan: tidak ada objek di dalamnya.
no-problems = Tidak ada masalah.
refused = Server menolaknya
and-more = dan { $count } lagi
time-stands = Waktu berhenti: jalankan atau maju selangkah untuk melihat kelanjutannya.

check-lesson = Periksa pelajaran
check-lesson-hint = Mencoba solusinya, tidak berbuat apa-apa, dan setiap jalan pintas, lalu menyebut apa yang perlu diperbaiki
apply-live = Terapkan sambil mengetik
beside = Di samping klaster
beside-hint = Teks di satu sisi, akibatnya di sisi lain
apply = Terapkan
apply-to-running = Terapkan ke klaster ini
start-anew = Mulai sesi baru dengan ini
