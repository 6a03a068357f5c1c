blocked = Ditahan bujet
volumes-that-stay = Volume yang tertinggal
less-than-before = Kurang dari sebelumnya
broken-guarantees = Jaminan yang dilanggar
can-go = Bisa dilepas
are-needed = Diperlukan

in-draws = { $what } (dalam { $often } dari { $draws } undian)
stays = { $pod } tetap di tempatnya: { $why }
budget-allows = { $budget } mengizinkan { $allowed } disrupsi, diperlukan { $needed }
still-on-node = masih ada di Node itu

not-scheduled = belum dijadwalkan
still-terminating = masih dalam proses berakhir: Node-nya tidak memastikan bahwa ia sudah berakhir, dan namanya tetap terpakai
no-controller = tidak punya pengontrol: tidak ada yang menggantinya
daemon-goes = Pod dari DaemonSet ini ikut pergi bersama Node-nya
not-replaced = { $kind } { $name } belum menggantinya

volume-stays = { $pod }, volume { $volume }: { $why }
directory-of-node = PersistentVolume { $volume } adalah direktori di Node-nya: isinya tertinggal di sana
usable-nowhere = PersistentVolume { $volume } tidak bisa dipakai di Node mana pun
usable-only-on = PersistentVolume { $volume } hanya bisa dipakai di { $nodes }
usable-only-on-more = PersistentVolume { $volume } hanya bisa dipakai di { $nodes } dan { $more } lagi
empty-dir = emptyDir: isinya dihapus bersama Pod
host-path = hostPath { $path }: isinya tertinggal di { $node }

less = { $object }: { $level } selama { $seconds } s
less-still = { $object }: { $level } selama { $seconds } s, dan masih begitu pada akhirnya
available-replicas = { $least } dari { $wanted } replika tersedia
healthy-pods = { $least } dari { $wanted } Pod sehat
ready-endpoints = { $least } dari { $wanted } endpoint siap

breaks = melanggar **{ $name }**

drained = { $node }: { $pods } Pod pergi dalam { $seconds } s
not-drained = { $node }: { $pod }: { $why }
node-can-go = bisa dilepas: { $drained }
node-is-needed = diperlukan: { $not-drained }

summary = { $placed } ditempatkan, { $left } tanpa Node, { $blocked } ditahan bujet, setelah { $seconds } s.
summary-of-draws = { $placed } ditempatkan, { $left } tanpa Node, { $blocked } ditahan bujet, setelah { $seconds } s, dari { $draws } undian.
nodes-can-go = { $count ->
    [0] Tidak ada Node yang bisa dilepas.
    [1] 1 Node bisa dilepas; drain-nya sudah disimulasikan.
   *[other] { $count } Node bisa dilepas bersama-sama; drain-nya sudah disimulasikan.
}

fit = { $count ->
    [0] Pod berbentuk ini tidak muat.
   *[other] Masih muat { $count } Pod lagi berbentuk ini.
}
fit-of-shapes = Masih muat { $count } Pod lagi dari bentuk-bentuk ini.
fit-at-least = Masih muat { $count } Pod lagi berbentuk ini, dan sesudah itu tidak dihitung lagi.
fit-daemon-set = Pod dari DaemonSet ini muat di { $count } dari { $wanted } Node.
shape = { $shape }: { $count }
shape-stops = { $shape }: { $count }; yang berikutnya tidak muat
refused-by = { $reason }: { $nodes }
refused-by-more = { $reason }: { $nodes } dan { $more } lagi
room-for = tempat untuk { $count }: `{ $commands }`
