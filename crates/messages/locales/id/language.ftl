language = Bahasa
name = Bahasa Indonesia
cannot-load = Bahasa { $code } tidak bisa dimuat. Apakah ada jaringan?
lesson-is-partly-english = Sebagian pelajaran ini belum diterjemahkan: bagian itu ditampilkan dalam bahasa Inggris.
