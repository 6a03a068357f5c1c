place-unknown = Tidak ada yang tahu di mana Pod ini bisa ditempatkan: { $why }.

deleted = Pod ini sedang dihapus: ia tidak dijadwalkan lagi; keputusan berikut ini diambil seolah-olah ia Pending.
deleted-on = Pod ini sedang dihapus di Node { $node }: ia tidak dijadwalkan lagi; keputusan berikut ini diambil seolah-olah ia Pending.
deleted-held = Pod ini sedang dihapus, dan ditahan oleh { $finalizers }: ia tidak dijadwalkan lagi; keputusan berikut ini diambil seolah-olah ia Pending.
deleted-on-held = Pod ini sedang dihapus di Node { $node }, dan ditahan oleh { $finalizers }: ia tidak dijadwalkan lagi; keputusan berikut ini diambil seolah-olah ia Pending.

has-ended = { $how }. Ia tidak dijadwalkan lagi; keputusan berikut ini diambil seolah-olah ia Pending.
was-evicted = Pod ini diusir: { $message }
has-succeeded = Pod ini sudah selesai (Succeeded)
has-failed = Pod ini sudah gagal
ended-for = Pod ini sudah berakhir ({ $reason })

is-placed = Pod ini sudah ditempatkan di Node { $node }; keputusan berikut ini diambil seolah-olah ia Pending.
is-gated = Pod ini ditahan oleh gerbang penjadwalan { $gates }: penjadwal tidak melihatnya. Berikut ini yang akan diputuskannya tanpa gerbang itu.
