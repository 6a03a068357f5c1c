practise = Latihan
the-next-task = Tugas berikutnya
nothing-is-due = Hari ini tidak ada yang perlu diulang.
due-topics = { $count } topik perlu diulang.
give-task = Beri saya tugas
about-schedule = Setiap tugas adalah klaster baru, dan simulasinya adalah kunci jawabannya. Sebuah topik kembali setelah satu hari, lalu setelah 6 hari, lalu makin lama setiap kali; setelah kesalahan ia mulai dari awal (aturan SM-2). Topik-topiknya bergiliran. Hanya disimpan di perangkat ini.
loading = Tugas ikut dimuat dengan bagian lain mesin simulasi, yang sedang dimuat…

level = tingkat { $level } · { $due }
due-new = baru
due-today = ulangi
due-tomorrow = besok
due-in = { $days } hari lagi

end-of-task = Akhir tugas
rule = Aturannya
reasons = Setiap jawaban, dan mengapa
next-task = Tugas berikutnya ›
another = Satu lagi yang sejenis
harder = Yang lebih sulit
all-topics = Semua topik
