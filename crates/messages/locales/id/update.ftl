task-open = membuka
task-seek = berpindah waktu
task-film = film
task-what-if = bagaimana jika

no-budgets = Tidak ada berkas yang memuat PodDisruptionBudget: pemindahan dan `kubectl drain` mengabaikannya
no-nodes = Tidak ada berkas yang memuat Node: Pod Pending menghadapi klaster rekaan dengan enam Node
only-names = Tidak ada berkas yang memuat Node, jadi tidak ada yang tahu mengapa sebuah Pod Pending
one-namespace = Semua Pod dalam berkas ada di namespace { $namespace }: yang lain yang berjalan di Node tidak dihitung
cut = { $file } berakhir di tengah baris { $line }: { $count } objek dibaca, dan yang sesudahnya tidak ada

link-long = Tautan ini punya { $characters } karakter; sebagian program memotong tautan setelah { $limit } karakter. Berkas skenario lebih aman.
link-too-long = Tautan ini punya { $characters } karakter; tidak semua peramban bisa membuka tautan sepanjang itu. Simpanlah sebagai berkas skenario.

film-empty-span = Film memerlukan rentang yang sudah berjalan: akhirnya harus sesudah awalnya
film-too-large = Film ini akan lebih besar daripada { $mib } MiB: ambil rentang yang lebih pendek, atau klaster yang lebih kecil
