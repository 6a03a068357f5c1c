close = Sudah saya baca: tutup
ways-back = Jalan kembali
processes-of-one-name = { $count } proses, 1 nama
broken-by = dilanggar oleh { $cause }
was-broken-by = dilanggar selama { $duration } oleh { $cause }
