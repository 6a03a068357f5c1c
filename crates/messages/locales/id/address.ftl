unfinished = Sesi terakhir tidak selesai dibuka, jadi tidak otomatis dicoba lagi. Sesi itu tetap tersimpan: Berkas, Sesi.
