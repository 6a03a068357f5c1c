name = Garis waktu
time = Waktu

faults = Gangguan
commands = Perintah
decisions = Keputusan
terminations = Penghentian
requests = Permintaan
guarantees = Jaminan
spread = Persebaran
spread-of = Persebaran { $owner }
lanes = Lajur
as-lists = Lajur sebagai daftar
as-lists-sr = Lajur sebagai daftar:

zoom-in = Perbesar
zoom-out = Perkecil
see-all = Lihat semua
legend = Legenda
legend-hint = Arti tanda-tanda, dan apa yang baru saja terjadi

event-at = { $event } · { $instant }
event-from-to = { $event } · { $from } sampai { $to }
several-here = { $count } di sini, yang terakhir: { $last }

main = utama
branch = cabang { $number }
branch-hint = Cabang { $number }: { $label }
branches = Cabang
leaves-at = Bercabang pada { $instant }
compare = Bandingkan
compare-hint = Bandingkan dengan { $branch }: berdampingan, dengan satu jam
compare-no-commands = Bandingkan tanpa perintah
compare-no-commands-hint = Berdampingan, dengan satu jam dan satu seed: simulasi ini, dan yang sama tanpa perintahnya
