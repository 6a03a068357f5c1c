and-more = { $problem } (dan { $count } masalah lagi)
no-lesson = tidak ada pelajaran { $name }
no-family = tidak ada jenis latihan { $name }
no-families = tidak ada jenis latihan satu pun
no-course = tidak ada kursus { $name }
no-task = tidak ada undian dari seed { $seed } pada tingkat { $level } yang punya tepat satu jawaban benar
