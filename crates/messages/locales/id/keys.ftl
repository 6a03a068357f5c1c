time = Waktu
play-or-pause = Jalankan atau jeda
next-event = Kejadian berikutnya
next-decision = Jalankan sampai keputusan berikutnya
mark-before = Kembali ke tanda sebelumnya
speed = Lebih lambat, lebih cepat
to-start = Kembali ke awal
branch = Cabang: simpan masa depan ini, lanjutkan dari sini
undo = Urungkan perintah terakhir

cluster = Klaster
nearest = Ke Pod atau Node terdekat
select = Pilih; sekali lagi: baca rinciannya
menu = Semua yang bisa dilakukan padanya
delete-pod = Hapus Pod
force-delete-pod = Hapus paksa Pod
cut-or-heal = Putuskan Node, atau pulihkan
cordon = Cordon atau uncordon Node
drain = Drain Node
power = Matikan atau nyalakan mesin
help-pending = Apa yang akan membantu Pod Pending

page = Halaman
find = Cari Pod dan Node; Enter ke yang berikutnya
console = Konsol
lessons = Pelajaran
editor = Editor; di sana Ctrl + M membuat Tab bisa keluar
share = Bagikan
theme = Tema
present = Presentasi: huruf besar, klaster dan cerita saja
close = Tutup, atau batalkan pilihan
this-sheet = Lembar ini

presenting = Selama presentasi

with-mouse = Dengan tetikus
drag-across-links = Seret melintasi sambungan
drag-across-links-does = Putuskan
drag-to-bin = Seret Pod ke tempat sampah
drag-to-bin-does = Hapus; dengan Shift, hapus paksa
right-click = Klik kanan
right-click-does = Semua yang bisa dilakukan padanya
wheel = Roda pada garis waktu
wheel-does = Perbesar, perkecil

with-finger = Dengan jari
rest = Tahan pada Pod
rest-does = Semua yang bisa dilakukan padanya
rest-and-drag = Tahan, lalu seret
rest-and-drag-does = Hapus, seperti dengan tetikus
rest-and-stroke = Tahan, lalu usap
rest-and-stroke-does = Putuskan sambungan
space = Spasi
