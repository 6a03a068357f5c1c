new-problems = Masalah baru
problems-gone = Masalah yang sudah hilang
changed = Berubah
added = Ditambahkan
removed = Dihapus

nothing-differs = Tidak ada yang berbeda.
problem = { $problem } { $object }: { $reason }
moved = { $pod }: { $from } -> { $to }
fields = { $object }: { $fields }
fields-more = { $object }: { $fields } dan { $more } lagi
