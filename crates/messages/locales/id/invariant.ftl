group-identity = Identitas
group-life = Hidup
group-termination = Penghentian
group-storage = Penyimpanan
group-scheduling = Penjadwalan
group-requests = Permintaan
group-in-the-end = Pada akhirnya

at-most-one = Untuk setiap anggota StatefulSet paling banyak satu Pod punya proses yang hidup, di mana pun.
at-most-one-keeper = Pengontrol StatefulSet menunggu sampai objek lama hilang; hanya kubelet yang membiarkannya hilang.
at-most-one-breaker = Penghapusan paksa, taint out-of-service yang tidak benar, atau penghapusan Node dari mesin yang masih berjalan.

safe-stall = Selama partisi berlangsung, anggota mungkin tidak ada atau terhenti, tetapi tidak pernah ganda.
safe-stall-keeper = Pengontrol StatefulSet, dengan tidak berbuat apa-apa.
safe-stall-breaker = Apa pun yang melanggar at-most-one.

attach-cas = Pemasangan volume hanya berubah dari keadaan yang telah diamati, dan Pod hanya berjalan di tempat volumenya terpasang.
attach-cas-keeper = Pengontrol pemasangan volume dan kubelet.
attach-cas-breaker = Isolasi yang sengaja melanggarnya.

daemon-one = Sebuah DaemonSet punya paling banyak satu Pod aktif di setiap Node, tidak termasuk Pod tambahan dari maxSurge.
daemon-one-keeper = Pengontrol DaemonSet.
daemon-one-breaker = Dua controller-manager yang bekerja bersamaan; duplikatnya dihapus.

detach-live = Volume yang tidak diperlukan siapa pun pada akhirnya dilepas.
detach-live-keeper = Pengontrol pemasangan volume: setelah volume di-unmount, setelah batas waktunya, atau setelah isolasi.
detach-live-breaker = Batas waktu yang dimatikan.

evict-throttle = Taint NoExecute dipasang pada Node tidak lebih cepat daripada laju yang diizinkan zonanya; tidak pernah ketika semua zona membisu.
evict-throttle-keeper = Pengontrol siklus hidup Node.
evict-throttle-breaker = Orang yang memasang taint dengan tangan.

fence-before-break = Sebelum sebuah volume diambil dengan paksa, Node-nya dipastikan terisolasi.
fence-before-break-keeper = Pengontrol isolasi.
fence-before-break-breaker = Kesalahan operator.

force-authority = Yang menghapus dengan periode penghentian 0 hanyalah kubelet, PodGC, dan manusia.
force-authority-keeper = Setiap pengontrol, dengan hanya meminta.
force-authority-breaker = Manusia.

forward-only = Fase hanya bergerak maju, kecuali untuk kontainer inisiasi yang berjalan lagi di sandbox baru, dan penghapusan tidak pernah ditarik kembali.
forward-only-keeper = Server API dan kubelet.
forward-only-breaker = Node yang sudah dihapus, sedangkan kubelet-nya masih melaporkan bagaimana Pod-nya berakhir.

grace-monotone = Periode penghentian boleh dipersingkat, tidak pernah diperpanjang.
grace-monotone-keeper = Server API.
grace-monotone-breaker = Crash kubelet memulai hitungannya lagi, dengan nilai yang sama.

grace-honoured = Antara SIGTERM dan SIGKILL sebuah proses mendapat periode penghentiannya, dikurangi preStop, tetapi paling sedikit dua detik.
grace-honoured-keeper = kubelet.
grace-honoured-breaker = Penghapusan kedua yang lebih singkat, penghapusan paksa, pengusiran, Node yang hilang; kubelet yang kembali dan menolak Pod itu.

nominee-resolved = Pod yang dinominasikan pada akhirnya dijadwalkan, dikalahkan oleh prioritas yang lebih tinggi, atau dihapus.
nominee-resolved-keeper = Penjadwal.
nominee-resolved-breaker = Partisi yang tidak dipulihkan siapa pun.

no-orphans = Setelah partisi pulih, proses yang sudah dilupakan API berakhir.
no-orphans-keeper = kubelet: apa yang tidak dicantumkan API dihentikan.
no-orphans-breaker = kubelet atau runtime yang mati.

namespace-gone = Namespace yang sedang dihapus pada akhirnya lenyap.
namespace-gone-keeper = Pengontrol namespace.
namespace-gone-breaker = Finalizer milik pihak lain; partisi, selama berlangsung.

ready-restored = Taint pada Node yang pulih dicabut, dan Pod-nya siap lagi.
ready-restored-keeper = Pengontrol siklus hidup Node dan kubelet.
ready-restored-breaker = Tidak ada.

converge = Replika sesuai dengan spec-nya setelah keadaan tenang.
converge-keeper = Semua pengontrol.
converge-breaker = Kuota, tidak adanya tempat, anggota yang terputus.

pending-placed = Pod yang muat di suatu tempat tidak tetap Pending.
pending-placed-keeper = Penjadwal dan antreannya.
pending-placed-breaker = Gerbang penjadwalan; penjadwal yang mati.

no-early-removal = kubelet membuang objek sebuah Pod hanya setelah tidak ada lagi prosesnya yang tersisa.
no-early-removal-keeper = kubelet.
no-early-removal-breaker = Tidak ada.

no-overcommit = Request semua Pod muat di Node-nya pada saat pengikatan.
no-overcommit-keeper = Penjadwal.
no-overcommit-breaker = Cache yang usang, pengikatan langsung, Pod statis, Node yang menyusut.

no-request-to-ended = Selama semua sambungan utuh, tidak ada permintaan yang dikirim ke sebuah endpoint lebih dari 5 s setelah Node klien mendengar bahwa endpoint itu berakhir.
no-request-to-ended-keeper = kube-proxy: ia menulis aturannya paling lama satu detik setelah mendengar sebuah perubahan.
no-request-to-ended-breaker = kube-proxy yang tidak menindaklanjuti apa yang didengarnya.

one-node = Sebuah Pod berjalan di Node tempat ia diikat, dan tidak di Node lain; nodeName tidak pernah berubah.
one-node-keeper = Server API menolak pengikatan kedua.
one-node-breaker = Tidak ada.

pdb-ledger = Pengusiran tidak pernah memakai lebih dari yang diizinkan sebuah bujet.
pdb-ledger-keeper = Subresource eviction, terhadap satu versi status bujet itu.
pdb-ledger-breaker = Apa pun yang bukan pengusiran: penghapusan, pemindahan, hilangnya Node.

preempt-lower = Hanya Pod berprioritas lebih rendah yang kehilangan tempatnya, dan hanya untuk Pod yang menunggu tempat itu.
preempt-lower-keeper = Penjadwal.
preempt-lower-breaker = Tidak ada.

roll-bound = Rollout tetap di dalam batas maxSurge dan maxUnavailable.
roll-bound-keeper = Pengontrol Deployment.
roll-bound-breaker = Pod yang sedang berakhir tidak dihitung: mereka masih memakai tempat.

single-writer = Volume ReadWriteOnce bisa ditulis di satu Node saja pada satu waktu; ReadWriteOncePod oleh satu Pod saja.
single-writer-keeper = Pengontrol pemasangan volume, dan backend yang menolak pemasangan kedua.
single-writer-breaker = Pelepasan paksa tanpa isolasi; backend yang tidak menolak apa pun (NFS).

skew-at-bind = Batasan DoNotSchedule terpenuhi pada saat pengikatan.
skew-at-bind-keeper = Penjadwal.
skew-at-bind-breaker = Apa yang terjadi kemudian: penghapusan, label lain.

slot-unique = Sebuah StatefulSet tidak pernah membuat anggota selama objek dengan nama itu masih ada.
slot-unique-keeper = Server API: sebuah nama terpakai sampai objeknya hilang.
slot-unique-breaker = Tidak ada.
