title = Lainnya

time = Waktu
next-event = Kejadian berikutnya
next-decision = Keputusan berikutnya
back-to-mark = Kembali ke tanda sebelumnya
back-to-start = Kembali ke awal
branch = Cabang: simpan masa depan ini, lanjutkan dari sini

page = Halaman
find = Cari Pod dan Node
legend = Legenda: arti tanda-tanda
console = Konsol
editor = Editor
files = Berkas
consolidate = Node mana yang bisa dilepas?
search = Cari simulasi yang melanggar jaminan
triage = Apa yang salah
notices = Tentang yang dibuka ({ $count })
guarantees = Jaminan
worksheet = Lembar kerja: pelajaran ini di kertas
class = Kelas: pengerjaan yang dikumpulkan
present = Presentasi di depan kelas
theme = { $theme ->
    [light] Tema: terang
    [dark] Tema: gelap
   *[other] Tema: sistem
}
help = Bantuan dan pintasan
