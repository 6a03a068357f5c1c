details = Rincian
close = Tutup rincian
close-hint = Tutup (Esc)
legend = Legenda
close-legend = Tutup legenda

why-here = Mengapa di sini?
life = Hidup
events = Event
yaml = YAML
hidden-answer = Ditampilkan setelah Anda menjawab.
no-events = Tidak ada event.

what-can-be-done = Yang bisa dilakukan
what-if-it-goes = Bagaimana jika hilang?
how-many-more-fit = Berapa lagi yang muat?
