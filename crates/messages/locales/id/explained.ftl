not-examined = tidak diperiksa: sebelumnya sudah ditemukan cukup Node

failed = Keputusan untuk { $pod } gagal: { $error }. Penjadwal mencoba lagi setelah jeda.
only-node = { $pod } ditempatkan di { $node }, satu-satunya dari { $of } Node yang bisa menerimanya.
only-node-past = { $pod } telah ditempatkan di { $node }, satu-satunya dari { $of } Node yang bisa menerimanya.
best = { $pod } ditempatkan di { $node }: { $fit } dari { $of } Node bisa menerimanya, dan nilai { $node } tertinggi.
best-past = { $pod } telah ditempatkan di { $node }: { $fit } dari { $of } Node bisa menerimanya, dan nilai { $node } tertinggi.
drawn = { $pod } ditempatkan di { $node }: ia satu dari { $among } Node yang sama tinggi nilainya, dan terpilih lewat undian.
drawn-past = { $pod } telah ditempatkan di { $node }: ia satu dari { $among } Node yang sama tinggi nilainya, dan terpilih lewat undian.
to-be-drawn = { $pod } ditempatkan di salah satu dari { $nodes }: nilainya sama tinggi, dan undian yang menentukan.

waits-no-nodes = { $pod } menunggu: klaster tidak punya Node.{ $room }
waits-whatever-the-node = { $pod } menunggu: { $why }, di Node mana pun.{ $room }
waits-only-node = { $pod } menunggu: satu-satunya Node tidak bisa menerimanya: { $why }.{ $room }
waits-refused = { $pod } menunggu: tidak satu pun dari { $nodes } Node bisa menerimanya. Di antaranya: { $causes }.{ $room }
cause = { $nodes } { $why }
room = { $victims ->
    [1] Ia boleh mengakhiri satu Pod berprioritas lebih rendah di { $nodes } dan mengambil tempatnya.
   *[other] Ia boleh mengakhiri { $victims } Pod berprioritas lebih rendah di { $nodes } dan mengambil tempatnya.
}
or = { " " }atau{ " " }

won-only-node = satu-satunya Node yang bisa menerimanya, jadi tidak ada yang dinilai
won-ahead = { $points } poin, sedangkan yang berikutnya, { $next }, mendapat { $next-points }: { $leads }
lead = { $points } poin dari { $plugin } ({ $about })
and = { " " }dan{ " " }
won-tie = { $nodes } Node berbagi nilai tertinggi, { $points }; kube-scheduler mengundi satu secara acak
won-tie-drawn = { $nodes } Node berbagi nilai tertinggi, { $points }; kube-scheduler mengundi satu secara acak, dan mendapat { $chosen }

sampling = { $examined } dari { $nodes } Node diperiksa: pencarian berhenti ketika { $wanted } Node bisa menerima Pod ini
fits = bisa menerima Pod ini
with-note = { $words }; { $note }
not-named = bukan salah satu Node yang disebut afinitas Pod ini

not-helpful = berakhirnya Pod mana pun tidak mengubahnya: { $why }
no-victims = tidak ada Pod berprioritas lebih rendah di sana
still-refused = tanpa semua Pod berprioritas lebih rendah pun { $plugin } tetap menolak: { $why }
never = preemptionPolicy Pod ini Never: ia menunggu, dan tidak mengakhiri siapa pun
terminating = Pod yang sudah disingkirkannya masih dalam proses berakhir di Node nominasinya: ia menunggu mereka
no-candidate = mengakhiri Pod berprioritas lebih rendah tidak akan membuat Pod ini bisa berjalan di Node mana pun
one-candidate = satu Node bisa menerimanya jika beberapa Pod berprioritas lebih rendah diakhiri
only-candidate = { $candidates } Node bisa menerimanya jika beberapa Pod berprioritas lebih rendah diakhiri; yang dipilih adalah satu-satunya kandidat
fewest-violations = { $candidates } Node bisa menerimanya jika beberapa Pod berprioritas lebih rendah diakhiri; yang dipilih adalah Node yang paling sedikit melanggar PodDisruptionBudget
lowest-priority = { $candidates } Node bisa menerimanya jika beberapa Pod berprioritas lebih rendah diakhiri; yang dipilih adalah Node yang korban terpentingnya berprioritas paling rendah
lowest-sum = { $candidates } Node bisa menerimanya jika beberapa Pod berprioritas lebih rendah diakhiri; yang dipilih adalah Node yang jumlah prioritas korbannya paling kecil
fewest-victims = { $candidates } Node bisa menerimanya jika beberapa Pod berprioritas lebih rendah diakhiri; yang dipilih adalah Node yang korbannya paling sedikit
latest-start = { $candidates } Node bisa menerimanya jika beberapa Pod berprioritas lebih rendah diakhiri; yang dipilih adalah Node yang korban terpentingnya paling akhir dimulai
candidates-tie = { $candidates } Node bisa menerimanya jika beberapa Pod berprioritas lebih rendah diakhiri; beberapa di antaranya setara, dan yang mana pun boleh diambil

separator = ,{ " " }
gap = { " " }
more-even = keseimbangan pemakaian sumber daya { $without } → { $with }: Pod ini membuat Node lebih seimbang
as-even = keseimbangan pemakaian sumber daya { $without } → { $with }: dengan Pod ini Node tetap sama seimbang
less-even = keseimbangan pemakaian sumber daya { $without } → { $with }: Pod ini membuat Node kurang seimbang
