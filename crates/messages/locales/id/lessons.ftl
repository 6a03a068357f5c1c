title = Pelajaran dan skenario
loading = Pelajaran ikut dimuat dengan mesin simulasi, yang belum selesai dimuat…

course = Kursus
done-of = { $done } dari { $count } selesai
lessons-done = Pelajaran selesai
begin-with = Mulai: { $title }
continue-with = Lanjutkan: { $title }
on-this-device = Hanya disimpan di perangkat ini.
save = Simpan sebagai berkas
forget = Lupakan
load = Muat berkas
cannot-save = { $file } tidak bisa disimpan
none-loaded = Tidak ada pelajaran yang selesai di berkas itu
loaded = { $count } pelajaran yang selesai telah dimuat

free-play = Main bebas
about-free-play = Klaster kecil yang hidup, tanpa tugas yang harus diikuti
practise = Latihan
about-practise = Tugas tanpa akhir, masing-masing di klaster baru
exam = Ujian
about-exam = Enam belas tugas, 90 menit
your-own = Buat sendiri
about-your-own = Tulis atau tempel manifes dan skenario
terms = Istilah
about-terms = Arti kata-kata dalam pelajaran
a-file = Berkas
about-a-file = Skenario, atau dump dari klaster nyata

find = Cari pelajaran
find-hint = Enter membuka yang pertama
what-do-you-see = Apa yang Anda lihat?
no-matches = Tidak ada pelajaran dengan kata-kata ini.
matches = { $count } pelajaran

group-done = { $group } · { $done } dari { $count }
minutes = { $minutes } mnt
minutes-after = { $minutes } mnt · setelah { $lessons }
