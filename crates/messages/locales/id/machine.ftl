fenced-by-storage = Diisolasi lewat penyimpanan.
fenced-by-network = Diisolasi lewat jaringan.

control-plane = control plane
storage = penyimpanan
other-nodes = Node lain

no-machine = { $node }: ada objek Node, tetapi tidak ada mesin.
no-power = { $node } mati: tidak ada yang berjalan di sini.
no-power-with-pods = { $node } mati: tidak ada yang berjalan di sini. Server API masih mencantumkan { $listed } Pod di sana.
kubelet-down-for = { $node }: kubelet-nya tidak berjalan, tidak ada heartbeat selama { $time }. Server API tidak bisa tahu apakah Pod-nya masih berjalan.
kubelet-down-yet = { $node }: kubelet-nya tidak berjalan, belum ada heartbeat. Server API tidak bisa tahu apakah Pod-nya masih berjalan.
cut-off-for = { $node }: terputus, tidak ada heartbeat selama { $time }. Server API tidak bisa tahu apakah Pod-nya masih berjalan.
cut-off-yet = { $node }: terputus, belum ada heartbeat. Server API tidak bisa tahu apakah Pod-nya masih berjalan.
kubelet-down-unknown = { $node }: kubelet-nya tidak berjalan. Server API tidak punya objek Node-nya dan tidak meminta apa-apa.
cut-off-unknown = { $node }: terputus. Server API tidak punya objek Node-nya dan tidak meminta apa-apa.
deaf = { $node }: yang dikirim kepadanya hilang, heartbeat-nya tiba. Ia tidak mendengar tentang Pod baru dan penghapusan.
no-runtime = { $node }: runtime kontainer tidak menjawab; kontainer terus berjalan.
storage-refused = { $node }: penyimpanan menolaknya; prosesnya tidak bisa lagi menulis ke volume bersama.
ghost = { $pod } masih berjalan di sini, tetapi sudah dilupakan API.

kubelet-down = { $node }: kubelet-nya tidak berjalan.
cut-off = { $node }: terputus.
deaf-machine = { $node }: yang dikirim kepadanya hilang, yang dikirimnya tiba.
