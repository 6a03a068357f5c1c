new-version = Versi baru sudah siap.
reload = Muat ulang
starting = Memulai klaster… Yang Anda tekan menunggu sampai klaster siap.
close = Tutup
