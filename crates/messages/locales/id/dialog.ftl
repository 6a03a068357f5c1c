close = Tutup
