partition = { $name } terputus
slow = sambungan { $name } lambat
leave = { $name } hilang untuk selamanya
shutdown = { $name } dimatikan
power-off = { $name } kehilangan daya
crash-kubelet = { $name }: kubelet-nya crash
crash-runtime = { $name }: runtime kontainernya crash
crash = { $component } crash
second = { $component } kedua percaya bahwa ia memimpin
etcd-down = etcd mati
exit = { $name }: salah satu prosesnya keluar
sandbox = { $name } kehilangan sandbox-nya
detach = { $name } dicabut dari Node-nya
device = { $name }: salah satu perangkatnya berubah
crash-driver = { $name }: driver perangkatnya crash

power-on = { $name } menyala
not-slow = { $name } tidak lagi lambat
etcd-up = etcd berjalan lagi
component-starts = { $component } dimulai
second-gone = { $component } kedua sudah tidak ada
kubelet-starts = { $name }: kubelet-nya dimulai
runtime-starts = { $name }: runtime-nya dimulai
device-back = { $name }: salah satu perangkatnya kembali
driver-starts = { $name }: driver perangkatnya dimulai
healed = { $name } dipulihkan

cut = { $lost ->
    [incoming] partition { $node }, yang dikirim kepadanya
    [outgoing] partition { $node }, yang dikirimnya
   *[both] partition { $node }
}
cut-from = { $lost ->
    [incoming] partition { $node } dari { $from }, yang dikirim kepadanya
    [outgoing] partition { $node } dari { $from }, yang dikirimnya
   *[both] partition { $node } dari { $from }
}

joined = { $node } bergabung
cordoned = { $node } di-cordon
uncordoned = { $node } di-uncordon
fenced = { $node } diisolasi
unfenced = isolasi { $node } dicabut
corrupted = { $volume } rusak
tainted = { $node } diberi taint { $taint }
untainted = taint { $key } pada { $node } dicabut

evicted-by-taint = { $pod } diusir: taint pada Node-nya
evicted-by-pressure = { $pod } diusir kubelet-nya: tekanan pada Node-nya
ended-by-shutdown = { $pod } diakhiri kubelet-nya: Node dimatikan
evicted-by-api = { $pod } diusir lewat API pengusiran
removed-by-garbage-collector = { $pod } dibuang PodGC: Node-nya hilang atau tidak beroperasi
out-of-memory = { $pod }/{ $container } kehabisan memori
exited = { $pod }/{ $container } keluar dengan kode { $code }
restarted = { $pod }/{ $container } berjalan lagi
no-node = { $pod }: tidak ada Node
nominated = { $pod } dinominasikan ke { $node }
preempted = { $pod } disingkirkan

given-more = { $command }: { $objects } dan { $more } lagi
requests-failing = { $service } { $per-second }/s · { $failing }/s gagal
