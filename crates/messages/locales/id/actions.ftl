cut-off = Putuskan
lose-inbound = Hilangkan pesan masuk
heal-links = Pulihkan sambungannya
uncordon = Uncordon
cordon = Cordon
drain = Drain
crash-kubelet = Buat kubelet crash
restart-kubelet = Mulai ulang kubelet
crash-runtime = Buat runtime crash
restart-runtime = Mulai ulang runtime
power-off = Matikan
boot = Nyalakan
back-in-service = Beroperasi lagi
out-of-service = Nyatakan tidak beroperasi
delete-node = Hapus objek Node

heal-zone = Pulihkan zona
cut-zone = Putuskan zona

heal-node-links = Pulihkan sambungan Node
power-machine-off = Matikan mesinnya
delete-pod = Hapus
force-delete-pod = Hapus paksa
break-sandbox = Rusakkan sandbox-nya

scale-up = Naikkan skala
scale-down = Turunkan skala
restart-rollout = Mulai ulang
delete-object = Hapus

stop-etcd = Hentikan etcd
start-etcd = Jalankan etcd
crash-component = Buat crash
restart-component = Mulai ulang
start-second = Jalankan satu lagi

heal-all = Pulihkan semuanya
heal-zone-named = Pulihkan zona { $zone }
cut-zone-named = Putuskan zona { $zone }
cut-off-named = Putuskan { $node }
heal-named = Pulihkan { $node }
power-off-named = Matikan { $node }
boot-named = Nyalakan { $node }
force-delete-named = Hapus paksa { $pod }
delete-named = Hapus { $pod }
cordon-named = Cordon { $node }
uncordon-named = Uncordon { $node }
drain-named = Drain { $node }

node-is-cut-off = { $node } terputus: Pod-nya terus berjalan di sana, dan tidak ada yang mendapat kabar dari mereka.
node-is-off = { $node } mati: tidak ada yang berjalan di sana.

detach-warning = Volume dicabut meskipun Node-nya mungkin masih menulis ke sana. Tanpa isolasi lebih dulu, dua penulis bisa bertemu di satu volume.
force-delete-warning = Penghapusan seketika tidak menunggu kepastian bahwa sumber daya yang berjalan sudah berakhir. Sumber daya itu mungkin terus berjalan di klaster tanpa batas waktu. Untuk StatefulSet, itu berarti dua anggota dengan satu nama mungkin berjalan bersamaan.
delete-node-warning = Menghapus objek Node berarti menyatakan kepada Kubernetes bahwa mesin itu hilang untuk selamanya: PodGC lalu menghapus paksa Pod-nya. Jika mesin itu masih berjalan, Pod-nya pun masih berjalan.
delete-namespace-warning = Menghapus sebuah namespace menghapus semua isinya. Penghapusan ini tidak bisa dibatalkan, dan menunggu Pod di Node yang terputus.
force-drain-warning = Pod tanpa pengontrol juga dihapus; tidak ada yang mengembalikannya.
out-of-service-warning = Tidak beroperasi berarti: saya tahu mesin ini mati. Pod-nya dihapus paksa dan volumenya langsung dilepas. Jika mesin itu masih berjalan, dua penulis bisa bertemu di satu volume.

cannot-move-ghost = { $pod } adalah proses yang sudah dilupakan API: tidak ada yang bisa memintanya pindah ke { $node }.
cannot-move-pending = Tempat { $pod } berjalan ditentukan oleh penjadwal. Supaya penjadwal memilih { $node }, ubah apa yang dilihatnya: label, taint, request.
cannot-move-bound = Pod tidak pernah dipindahkan: { $pod } diikat ke { $from } satu kali dan tetap di sana sampai berakhir. Tidak ada live migration. Hapus Pod itu, dan pengontrolnya membuat Pod baru yang mungkin ditempatkan penjadwal di { $node }.
