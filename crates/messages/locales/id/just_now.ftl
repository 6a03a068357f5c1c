no-node = { $count } Pod: tidak ada Node
got-node = { $count } Pod mendapat Node
preempted = { $count } Pod disingkirkan
evicted-by-taint = { $count } Pod diusir: taint pada Node-nya
evicted-by-pressure = { $count } Pod diusir kubelet-nya: tekanan pada Node-nya
ended-by-shutdown = { $count } Pod diakhiri kubelet-nya: Node dimatikan
evicted-by-api = { $count } Pod diusir lewat API pengusiran
removed-by-garbage-collector = { $count } Pod dibuang PodGC: Node-nya hilang atau tidak beroperasi
run-again = { $count } kontainer berjalan lagi
get-sigterm = { $count } kontainer mendapat SIGTERM
get-sigkill = { $count } kontainer mendapat SIGKILL
pre-stop-begin = { $count } hook preStop dimulai

ready-again = { $node } Ready lagi
condition-over = { $node }: { $condition } sudah berlalu
whole-again = pulih lagi setelah { $time }: { $what }

cut-off = { $node } terputus
lost-to-node = yang dikirim ke { $node } hilang
lost-from-node = yang dikirim { $node } hilang
lost-to-node-from = yang dikirim { $from } ke { $node } hilang
lost-from-node-to = yang dikirim { $node } ke { $from } hilang
cut-off-from = { $node } terputus dari { $from }

sigterm = { $what } mendapat SIGTERM
sigkill = { $what } mendapat SIGKILL
pre-stop = { $what }: hook preStop-nya dimulai
broken = dilanggar: { $what }
as-expected = sesuai harapan: { $what }
not-as-expected = tidak sesuai harapan: { $what }
refused = ditolak: { $command }
