with-names = { $notice }: { $names }

cut = Catatan terakhir dari { $count } riwayat tidak lengkap dan dilewatkan
watch-error = { $count } watch berakhir dengan kesalahan; apa yang terjadi sesudahnya tidak ada dalam riwayat
no-types = { $count } aliran watch tidak menyebut jenis event-nya (--output-watch-events), jadi hanya penghapusan objek yang punya deletionTimestamp yang diketahui
before-start = { $count } penulisan lebih lama daripada t = 0 dan tidak diputar ulang
incomplete = { $count } penulisan tidak diputar ulang, karena event auditnya tidak memuat objek (level Metadata)
never-seen = { $count } penulisan tidak diputar ulang, karena objeknya belum pernah muncul dalam berkas; objek itu ada dalam dump keadaan awal, yang bisa dibuka bersama riwayatnya
not-whole = { $count } objek dari keadaan awal tidak bisa dibaca dan dilewatkan
seen-late = { $count } objek baru terlihat setelah sebuah perubahan; pada t = 0 objek itu sudah seperti saat pertama terlihat
node-lost = { $count } Node menjadi Unknown. Penyebabnya tidak ada dalam riwayat: mesin yang dinyalakan ulang diputar ulang sebagai kehilangan daya, sebab lain sebagai partisi, 50 s (nodeMonitorGracePeriod) sebelum Node itu menjadi Unknown
node-unready = { $count } Node melaporkan dirinya tidak siap; penyebabnya tidak ada dalam riwayat, jadi itu tidak diputar ulang
node-gone = { $count } Node dihapus; mesinnya dianggap ikut hilang
named-by-simulation = { $count } penulisan tidak diputar ulang, karena menyangkut objek yang diberi nama lain oleh simulasi
unknown-deleter = { $count } Pod berakhir, dan riwayat tidak menyatakan apakah pengontrolnya yang menghapusnya; dianggap begitu
owner-unknown = { $count } objek dibuat seolah-olah oleh pengguna, karena pemiliknya tidak ada dalam berkas
undated = { $count } perubahan tidak punya waktu dalam aliran watch; waktunya diambil dari catatan berikutnya yang punya waktu
patch-type = { $count } patch dianggap strategic merge patch, seperti yang dikirim kubectl: event audit tidak menyebut jenisnya
restarts = { $count } restart kontainer tidak diputar ulang, karena penyebabnya tidak ada dalam riwayat
lifetimes = { $count } jejak SimKube menyebut berapa lama Pod berjalan; itu tidak diputar ulang
no-nodes = Riwayat tidak memuat Node, jadi Node-nya dibuatkan
autoscaler-scales = { $count } perubahan replicas oleh HorizontalPodAutoscaler diputar ulang sebagai perintah, karena metriknya tidak ada dalam riwayat
not-simulated = { $count } penulisan objek dari kind yang tidak disimulasikan tidak diputar ulang
no-name = { $count } catatan tidak punya kind atau nama yang valid dan dilewatkan
by-simulation = { $count } penulisan oleh komponen tidak diputar ulang, karena simulasi membuatnya sendiri

beside-scenario = sebuah riwayat menjadi Scenario tersendiri: ia tidak bisa dibuka bersama Scenario lain
too-long = riwayat ini punya { $count } perintah: batasnya { $limit }; bukalah potongan dengan waktu yang lebih pendek
