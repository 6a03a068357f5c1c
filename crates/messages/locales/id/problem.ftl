node-not-ready = { $why }; { $pods } Pod di sana
kubelet-not-heard = tidak ada kabar dari kubelet-nya
not-ready-for = tidak siap: { $reason }

bring-machine-back = Pulihkan mesin atau jaringannya; selama tidak ada yang tahu bahwa mesin itu mati, Pod-nya mungkin masih berjalan. Setelah mesin itu pasti mati: { $command }
bring-node-back = Pulihkan Node { $node }: kubelet-nya lalu mengakhiri Pod ini
once-machine-is-off = Setelah mesin itu pasti mati: { $command }

gated = ditahan oleh gerbang penjadwalan { $gates }: penjadwal tidak melihatnya
gate-of = { $gate } (dari { $setter })
said-in-cluster = { $message } (dikatakan di klaster; { $missing })
nobody-can-say = tidak ada yang tahu mengapa: { $missing }
said-by-unknown-scheduler = { $message } (penjadwalnya, { $scheduler }, tidak dikenal di sini)
unknown-scheduler = penjadwalnya, { $scheduler }, tidak dikenal di sini: tidak ada yang menyatakan mengapa Pod ini menunggu
message-and-cause = { $message } { $cause }
and-cause = { $before }. { $cause }
made-for-node = DaemonSet-nya membuatnya khusus untuk Node { $node }
claim-in-use = Klaimnya, { $claim }, adalah ReadWriteOncePod, dan Pod { $pod } di Node { $node } memakainya
devices-on-node = Di { $node }: { $lines }
fits-now = menurut isi berkas, Pod ini sekarang muat: di { $nodes }
fits-on = belum dijadwalkan: muat di { $nodes }

ended-containers = { $ends }
message-and-ends = { $message }: { $ends }
container-ended = kontainer { $container } berakhir dengan { $exit }
container-restarts = { $restarts ->
    [1] kontainer { $container } berakhir dengan { $exit }, sudah sekali dimulai ulang
   *[other] kontainer { $container } berakhir dengan { $exit }, sudah { $restarts } kali dimulai ulang
}
exit-code = kode keluar { $code }
reason-with-exit-code = { $reason } (kode keluar { $code })

held-by-finalizers = ditahan oleh finalizer { $names }: yang memasangnya harus mencabutnya
node-unreachable = Node-nya, { $node }, tidak terjangkau, jadi tidak ada kubelet yang memastikan bahwa kontainernya sudah berakhir
node-unreachable-then-held = Node-nya, { $node }, tidak terjangkau, jadi tidak ada kubelet yang memastikan bahwa kontainernya sudah berakhir; sesudah itu masih ditahan oleh finalizer { $names }
grace-has-ended = periode penghentiannya sudah habis, tetapi kubelet { $node } belum mengakhirinya
grace-has-ended-unbound = periode penghentiannya sudah habis, tetapi kubelet di Node-nya belum mengakhirinya
used-by-pod = masih dipakai Pod { $pod } ({ $finalizer })
used-by-none = ditahan oleh finalizer { $finalizer }, padahal tidak ada Pod dalam berkas yang memakainya
waits-for-owned = menunggu sampai yang dimilikinya hilang
content-not-gone = isinya belum hilang
finalizer-not-removed = finalizer-nya belum dicabut
reserved-for = dicadangkan untuk { $users }
let-controller-finish = Biarkan pengontrol yang memasang { $names } menyelesaikan tugasnya, atau, jika pengontrol itu sudah tidak ada lagi, cabut finalizer-nya: { $command }

of-container = kontainer { $container }: { $message }
ends-repeatedly = berulang kali berakhir
image = image { $image }: { $message }
init-container-runs = kontainer inisiasinya, { $container }, belum berakhir
container-not-ready-for = kontainer { $container } tidak siap: { $message }
startup-probe-fails = startup probe kontainer { $container } tidak berhasil
readiness-probe-fails = readiness probe kontainer { $container } gagal
container-not-ready = kontainer { $container } berjalan, tetapi tidak siap
container-waits = kontainer { $container } menunggu: { $reason }
not-created = belum dibuat
readiness-gate = gerbang kesiapannya, { $gate }, tidak bernilai True
not-begun = sudah diikat ke { $node }, tetapi kubelet di sana belum memulainya
only-containers-ready = kontainernya siap, tetapi Pod-nya tidak

pod-not-ready = Pod { $pod } tidak siap: { $why }
node-of-pod-not-ready = Node-nya, { $node }, tidak siap
not-ready = belum menjadi siap
cannot-create-pods = tidak ada Pod yang bisa dibuat: { $message }
rollout = { $updated } dari { $wanted } replika berasal dari templat baru; { $pod }
daemon-rollout = { $updated } dari { $wanted } Node punya Pod dari templat baru; { $pod }, dan itu menghabiskan maxUnavailable { $allowed }

too-few-healthy = tidak mengizinkan disrupsi: yang sehat { $healthy } Pod, padahal harus { $needed }
no-spare = tidak mengizinkan disrupsi: { $healthy } dari { $pods } Pod sehat, dan sebanyak { $needed } harus tetap sehat
get-pods-ready = Buat Pod pilihan selektornya yang tidak sehat menjadi siap
run-one-more = Jalankan satu replika lagi, atau buat bujet ini mengizinkan satu disrupsi (maxUnavailable: 1)

volume-not-bound = volumenya, { $volume }, tidak terikat padanya
waits-for-pod = kelas { $class } menunggu sampai Pod { $pod }, yang memakai klaim ini, punya Node
waits-for-first-pod = kelas { $class } menunggu Pod pertama yang memakai klaim ini, dan belum ada
waits-for-provisioner = menunggu { $provisioner } menyediakan volumenya
no-volume-fits = tidak ada volume yang cocok, dan tidak ada kelas yang menyediakannya
bound-without-devices = Pod { $pod } diikat ke { $node } tanpa perangkatnya, dan tidak ada yang mengalokasikannya
gets-devices-with-node = mendapat perangkatnya ketika Pod { $pod }, yang memakai klaim ini, mendapat Node
attachment-error = volume { $volume } di Node { $node }: { $message }
not-detached = volume { $volume } belum dilepas dari Node { $node }
