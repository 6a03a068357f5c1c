title = Apa yang salah
worst-first = Apa yang salah, yang terburuk lebih dulu
show = Tampilkan
problems = { $count } masalah

looking = Mencari…
namespace = Namespace
all = semua
none = tanpa (milik klaster)
rows = { $rows } baris dari { $objects } objek, pada { $time }
look-again = Cari lagi
copy = Salin
copied = Daftar ini disalin sebagai Markdown.
nothing-wrong = Tidak ada yang salah sejauh yang terlihat dari objek.
and-more = dan { $count } lagi; Salin mengambil semuanya
