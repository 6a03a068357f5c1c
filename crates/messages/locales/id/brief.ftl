story = Cerita
close = Tutup cerita
start-course = Mulai kursus
