refused = Ini tidak bisa dibuka
nothing-changed = Tidak ada yang berubah pada sesi yang sedang berjalan.
open-another = Buka berkas lain
to-editor = Ke editor
go-on = Lanjutkan sesi

terms = Istilah

confirm = Anda yakin?
leave-it = Batal
do-it = Saya mengerti, lakukan

only-this-zone = Lihat yang ini saja
what-if-it-goes = Bagaimana jika hilang?

no-marks = Belum ada apa-apa.
from-to = { $from } sampai { $to }
from-until-now = { $from } sampai sekarang
earlier = dan { $count } yang lebih awal

help = Bantuan dan pintasan
help-hint = Setiap Pod adalah sebuah kotak: warnanya menunjukkan pemiliknya, bentuknya menunjukkan keadaannya. Pilih satu dan tanyakan mengapa ia di sana. Rusakkan sesuatu, dan perhatikan apa yang dipercaya Server API dan apa yang dilakukan mesin-mesin.
shortcuts = Pintasan
single-keys = Pintasan satu tombol aktif
browsers = Tidak ada yang keluar dari peramban ini. Podscope berjalan di Chrome dan Edge 123, Firefox 120, Safari 17.5, atau yang lebih baru.
licences = Lisensi
guarantees = Jaminan

notices = Tentang yang dibuka
read-and-kept = Dibaca dan disimpan
advice = Saran

engine-stopped = Mesin simulasi berhenti
engine-stopped-hint = Ini kesalahan Podscope, bukan kesalahan Anda. Sesi baru saja disimpan.
rest-not-loaded-hint = Bagian yang diperlukan perintah terakhir tidak dapat dimuat. Sesi disimpan sebelumnya; melanjutkan akan mencoba lagi.
start-empty = Mulai dengan sesi kosong
go-on-saved = Lanjutkan sesi yang tersimpan

sessions = Sesi yang disimpan peramban ini
name-of-this = Nama sesi di tab ini
name-of = Nama { $name }
name-hint = Beri nama sesuka Anda
this-tab = di tab ini
open = Buka
open-session = Buka { $name }
save-link = Simpan tautan { $name }
save-link-hint = Simpan tautannya sebagai berkas
forget-this = Lupakan klaster ini
forget-this-hint = Tidak ada bagiannya yang tersisa di peramban ini
forget = Lupakan { $name }
forget-hint = Lupakan

files = Berkas
open-files = Buka
open-files-hint = Skenario, manifes, atau hasil dari `kubectl get … -A -o yaml`. Berkas juga bisa diseret ke mana saja di halaman ini.
compare = Bandingkan, dengan seed yang sama
second-scenario = Skenario kedua yang berjalan di samping ini
two-ways = Dua cara
without-commands = Yang ini tanpa perintahnya

save = Simpan
save-session = Sesi
save-session-how = sebagai berkas skenario
save-lesson = Pelajaran
save-lesson-how = yang Anda lakukan, sebagai langkah untuk disunting
record = Rekam pelajaran
record-how = dan tekan field yang akan menjadi tujuannya
save-objects = Objek
save-objects-how = sebagai YAML
save-trace = Jejak
save-trace-how = sebagai JSON Lines
save-drawing = Gambar vektor
save-drawing-how = sebagai SVG
save-picture = Gambar
save-picture-how = sebagai PNG
