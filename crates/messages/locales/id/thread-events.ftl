refused-command = ditolak: { $line }
fault = gangguan: { $fault }
repaired = dipulihkan: { $fault }
fenced = diisolasi

created = dibuat
updated = diperbarui
wants-pods = menginginkan { $replicas } Pod
deletion-requested = { $grace ->
    [0] penghapusan diminta, tanpa periode penghentian
   *[other] penghapusan diminta, periode penghentian { $grace } s
}
deleted = hilang dari API
refused = ditolak
refused-because = ditolak: { $message }
event = event { $reason }
broken = { $guarantee } dilanggar
expectation-holds = sesuai harapan
expectation-fails = tidak sesuai harapan

bound = diikat ke { $node }
chosen = penjadwal memilih { $node }
no-node-fits = tidak muat di Node mana pun
preempts = tidak muat di Node mana pun: menyingkirkan { $preempts } Pod
attempt-failed = percobaan penjadwalan gagal
nominated = dinominasikan ke { $node }
preempted = disingkirkan oleh { $by }
gated = ditahan gerbang penjadwalan

image-pulled = image { $image } ditarik
started = { $container } dimulai
started-again = { $container } dimulai lagi, restart ke-{ $restarts }
exited = { $container } keluar dengan kode { $code }
exited-because = { $container } keluar dengan kode { $code }: { $reason }
hook-started = { $container }: hook { $hook } dimulai
hook-finished = { $container }: hook { $hook } selesai
hook-failed = { $container }: hook { $hook } gagal
signal = { $signal } ke { $container }
probe-failed = { $container }: { $probe } probe gagal
probe-succeeds = { $container }: { $probe } probe berhasil

volume-attached = volume { $volume } dipasang
volume-detached = volume { $volume } dilepas
volume-mounted = volume { $volume } di-mount
volume-unmounted = volume { $volume } di-unmount
volume-corrupted = dua Node menulis ke satu volume
registered = terdaftar
condition = { $condition } menjadi { $status }
condition-because = { $condition } menjadi { $status }: { $reason }
tainted = diberi taint { $taint }
untainted = taint { $taint } dicabut

no-requests = tidak ada permintaan lagi
requests = { $rate } permintaan per detik
