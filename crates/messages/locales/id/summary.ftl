namespace-and-priority = { $namespace } · prioritas { $priority }
gone = sudah tidak ada
ghost = hantu di { $node }
zone = zona { $zone }
no-node = tanpa objek Node
invariant = jaminan
failed-requests = permintaan gagal

terminating = Sedang berakhir: { $cause }.
terminating-unconfirmed = Sedang berakhir: { $cause }. Node-nya tidak terjangkau, jadi tidak ada yang bisa memastikan bahwa prosesnya sudah berakhir.
unbound = Belum diikat ke Node.
last-heard = Kata API { $status }, tetapi { $node } tidak terjangkau: inilah kabar terakhirnya.
bound = { $status } di { $node }, { $ready }/{ $containers } kontainer siap.
gone-pod = { $pod } sudah tidak ada: API tidak punya Pod seperti itu, dan tidak ada prosesnya yang berjalan.
ghost-pod = { $pod } masih berjalan di { $node }, tetapi sudah dilupakan API. kubelet di sana akan mengakhirinya ketika mendengar tentang penghapusan itu.

agrees = { $status }. API dan mesin cocok.
machine-alone = Ada mesin { $node }, tetapi API tidak punya Node untuknya.
gone-node = { $node } sudah tidak ada.
gone-object = API tidak punya { $kind } { $key }.
holds = { $invariant } terjaga.
requests-failed = { $sentence }.
no-request-failed = Belum ada permintaan yang gagal.

deleted-by-request = dihapus atas permintaan
preempted = disingkirkan oleh Pod berprioritas lebih tinggi
tainted = Node-nya punya taint NoExecute yang tidak ditoleransinya
evicted = diusir oleh drain atau disrupsi sukarela lain
node-gone = Node-nya hilang: dibuang oleh PodGC
node-pressure = diusir oleh kubelet-nya: Node sedang di bawah tekanan

unknown-to-api = tidak dikenal API
no-status = belum ada status
waiting = menunggu
waiting-because = menunggu: { $reason }
running = berjalan
ended = berakhir: { $reason }, kode keluar { $code }
runs-since = berjalan sejak { $since }
runs-since-with-signals = berjalan sejak { $since }, mendapat { $signals }

claim = klaim { $name }
scratch = ruang sementara yang hidup selama Pod hidup
scratch-with-data = ruang sementara yang hidup selama Pod hidup: { $written }
written = { $size } oleh { $container } sejak { $since }
nfs = NFS: tidak menghalangi penulis kedua
host-path = sebuah direktori di Node
volume = volume
attached = terpasang
