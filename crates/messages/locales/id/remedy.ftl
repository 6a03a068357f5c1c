fits = { $nodes ->
    [1] { $change }: lalu satu Node bisa menerimanya
   *[other] { $change }: lalu { $nodes } Node bisa menerimanya
}
ends = { $change }: itu akan mengakhiri { $victims } di { $node }

uncordon = Uncordon { $node }
untaint = Cabut taint { $taint } dari Node { $node }
ungate-by = Cabut gerbang penjadwalan { $gates }, yang dilakukan { $setter } ketika mengizinkan Pod ini dijadwalkan
ungate = Cabut gerbang penjadwalan { $gates }, seperti yang dilakukan pengontrol pemasangnya ketika mengizinkan Pod ini dijadwalkan
honor-taints = Jangan hitung Node dengan taint yang tidak ditoleransi Pod ini dalam persebaran menurut { $topology-key } (nodeTaintsPolicy: Honor)
tolerate = Buat Pod ini menoleransi taint { $taint }
shrink = Minta { $resource } sebesar { $to }, bukan { $from }
max-skew = Izinkan maxSkew { $to } menurut { $topology-key }
min-domains = Cukupkan dengan { $to } domain { $topology-key } (minDomains)
soften = Jadikan persebaran menurut { $topology-key } sebagai keinginan (ScheduleAnyway), bukan aturan
drop = Hilangkan { $field }
drop-request = Hilangkan request { $resource }
priority = Beri Pod ini PriorityClass { $class } ({ $value })
allow-preemption = Izinkan Pod ini menyingkirkan Pod lain (preemptionPolicy PreemptLowerPriority)
scheduler = Buat ulang Pod ini dengan schedulerName { $to }, karena nama itu tidak bisa diubah pada Pod yang sudah ada
delete-pod = Hapus Pod { $pod } di { $node }
delete-pod-of = Hapus Pod { $pod } di { $node } ({ $kind }-nya membuat Pod lain, yang mungkin mengambil tempat itu)
label = Beri Node { $node } label { $key }={ $value }
offer = Buat { $node } menawarkan { $amount } { $resource }, seperti yang dilakukan device plugin
add-pod = Jalankan Pod { $pod } dengan { $labels }, yang diminta oleh afinitasnya

coscheduling-plugin = plugin Coscheduling
multiarch-operator = Multiarch Tuning Operator

in-claim = ResourceClaim { $claim }
in-request = permintaan { $request } dari ResourceClaim { $claim }
fewer-devices = Minta { $to } perangkat, bukan { $from }, dalam { $place }
drop-selector = Hilangkan selektor { $expression } dalam { $place }
tolerate-device-taint = Beri toleransi untuk taint perangkat { $taint } dalam { $place }
drop-capacity = Hilangkan permintaan kapasitas dalam { $place }
drop-constraint = Hilangkan batasan atas { $attribute } dalam { $place }
delete-claim = Hapus ResourceClaim { $claim }, yang perangkatnya tidak dipakai Pod mana pun

any-node = sebuah Node
node-like = Node seperti { $like }
node-like-without = Node seperti { $like }, tanpa taint { $taints },
add-node-with = Tambahkan { $node } dengan { $more }
add-node-in-new-domain = Tambahkan { $node } di domain { $topology-key } yang belum ada
add-node-in-domain = Tambahkan { $node } dengan { $topology-key }={ $domain }
add-node-near-volume = Tambahkan { $node } dengan { $topology-key }={ $domain }, tempat volume { $volume } bisa dijangkau
add-node-with-devices = Tambahkan Node seperti { $like }, dengan perangkat { $drivers } yang sama
