end = Selesai
end-of-lesson = Akhir pelajaran
all-reached = Semua tujuan tercapai
predictions = Prediksi: { $right } dari { $count } benar.
own-cluster = Di klaster Anda sendiri:
try-also = Coba juga:
read-on = Bacaan lanjutan:
next-lesson = Pelajaran berikutnya: { $title } ›
course = Kursus

end-of-task = Akhir tugas
noted = Pengerjaan Anda untuk tugas ini dicatat
shown-later = Apa yang benar, dan mengapa, ditampilkan setelah ujian.
next-task = Tugas berikutnya ›
next-item = Berikutnya: { $title } ›
to-exam = Ke ujian
to-course = Ke kursus
