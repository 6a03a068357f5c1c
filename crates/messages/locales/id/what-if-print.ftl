order-that-works = Urutan yang berhasil
stops-at = Berhenti di
shapes = Bentuk Pod
not-wanted-on = Tidak diinginkan di
what-makes-room = Yang memberi tempat
node-groups = Kelompok Node

goes = { $pod } (dari { $from }) -> { $to }
goes-nowhere = { $pod } (dari { $from }) -> tanpa Node: { $reason }
new-goes = { $pod } (baru) -> { $to }
new-goes-nowhere = { $pod } (baru) -> tanpa Node: { $reason }
nothing-changes = Tidak ada yang berubah.

stops = berhenti di { $node-and-why }
rolling-summary = { $drained } Node berhasil di-drain, { $stopped } tidak, setelah { $seconds } s.

fit-after = { $count } muat setelah: { $commands }

group = { $name }: { $nodes } Node, { $limits }, Node barunya seperti { $like }
group-of-default-machine = { $name }: { $nodes } Node, { $limits }, Node barunya seperti mesin bawaan
limits = min. { $min }, maks. { $max }
limits-without-max = min. { $min }, maks. tidak diketahui
limits-not-known = batasnya tidak diketahui
pod = Pod { $pod }
pod-of-owner = Pod { $pod } milik { $owner }
pods = Pod { $pod }, dan { $more } lagi
pods-of-owner = Pod { $pod } milik { $owner }, dan { $more } lagi
no-group = Tidak ada kelompok Node; { $pods } Pod menunggu.
grow-summary = Model cluster autoscaler: dari { $waiting } Pod yang menunggu, { $helped } terbantu oleh kelompok Node, { $fitting } muat tanpa itu.
with-not-asked = { $summary } { $more } Pod lagi tidak diperiksa.
