pending = Pending
starting = sedang dimulai, { $status }
running-ready = berjalan dan siap
running-not-ready = berjalan, tidak siap
terminating = sedang berakhir
terminating-unobserved = sedang berakhir, kubelet belum tahu; kabarnya belum sampai ke kubelet
terminating-unreachable = sedang berakhir, kubelet belum tahu; kabarnya tidak bisa sampai ke kubelet: tidak ada yang tahu kapan Pod ini berakhir
terminating-prestop = sedang berakhir, hook preStop-nya berjalan; SIGTERM saat hook preStop berakhir, atau saat periode penghentian habis
terminating-turn = sedang berakhir, menunggu giliran: dihentikan setelah kontainer lain berakhir
terminating-sigterm = sedang berakhir, SIGTERM sudah dikirim; SIGKILL saat periode penghentian habis, kecuali prosesnya berakhir lebih dulu
terminating-killed = sedang berakhir, SIGKILL sudah dikirim; prosesnya berakhir, lalu kubelet membuang Pod ini
crashing = crash, menunggu sebelum dimulai lagi
succeeded = berhasil
failed = gagal, { $status }
ghost = proses yang sudah dilupakan API
unconfirmed = berjalan sejauh yang diketahui API; tidak ada yang bisa memastikannya

name = Pod { $pod }, { $state }
of-owner = milik { $owner }
priority = prioritas { $priority }

differs = berbeda di simulasi yang lain
