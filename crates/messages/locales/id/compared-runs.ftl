pods-placed = Pod yang ditempatkan
pods-pending = Pod Pending
nodes-used = Node yang terpakai
allocated = { $resource } teralokasi
deviation = simpangan baku { $resource }
jain-index = indeks Jain { $resource }
largest-free = { $resource } bebas terbanyak di satu Node
by-node = { $resource } per Node
devices-allocated = perangkat teralokasi
of = { $allocated } dari { $devices }
pods-in-a-zone = Pod per zona
range = { $fewest } sampai { $most }
preemptions = pemindahan
mean-time-to-place = waktu sampai mendapat Node, rata-rata
longest-time-to-place = waktu sampai mendapat Node, terlama

pods-elsewhere = Pod di Node yang berbeda
pod = { $pod }: { $nodes }
beside = { $one } | { $other }
no-node = tanpa Node
and-more = dan { $count } lagi
other-nodes = { $count ->
    [0] Setiap Pod ada di Node yang sama dalam kedua simulasi.
   *[other] { $count } Pod ada di Node yang berbeda.
}
