no-such-object = Server API tidak punya objek ini. Yang berjalan adalah proses tanpa catatan.
copy = Salin
copied = Disalin.
cannot-copy = Peramban ini tidak mengizinkan penyalinan di sini.

pick-goal = Tekan sebuah field untuk menjadikannya tujuan, dengan nilainya sekarang.
make-goal = Jadikan tujuan: { $field }
