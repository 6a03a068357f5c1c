from = Mulai dari { $time }
from-what = Mulai dari { $time }: { $what }
until = Sampai { $time }
until-what = Sampai { $time }: { $what }
never = Tidak pernah terjadi: { $what }
kept = Sampai akhir: { $statement }
and = , dan{ " " }

object-in = { $object } di namespace { $namespace }
exists = { $object } ada
is-gone = { $object } sudah tidak ada
has-node = { $object } punya Node
has-no-node = { $object } tidak punya Node
placed-on = { $object } ditempatkan di { $node }
placed-elsewhere = { $object } ditempatkan di Node selain { $node }
phase = { $object } berfase { $phase }
not-phase = { $object } tidak berfase { $phase }
deleting = { $object } sedang dihapus
not-deleting = { $object } ada dan tidak sedang dihapus
cordoned = { $object } di-cordon
not-cordoned = { $object } tidak di-cordon
nominated-to = { $object } dinominasikan ke { $node }
nominated = { $object } dinominasikan ke sebuah Node
priority = { $object } berprioritas { $priority }
generation = { $position ->
    [start] Spec
   *[inside] spec
} { $object } ada pada generasi { $generation }
revision = { $object } ada pada revisi { $revision }
ready = { $object } siap
not-ready = { $object } tidak siap
containers-ready = { $position ->
    [start] Semua
   *[inside] semua
} kontainer { $object } siap
unschedulable = { $position ->
    [start] Penjadwal
   *[inside] penjadwal
} tidak menemukan Node untuk { $object }
condition-is = { $position ->
    [start] Kondisi
   *[inside] kondisi
} { $name } dari { $object } adalah { $status }
condition-is-not = { $position ->
    [start] Kondisi
   *[inside] kondisi
} { $name } dari { $object } bukan { $status }
condition-reason = { $position ->
    [start] Kondisi
   *[inside] kondisi
} { $name } dari { $object } punya alasan { $reason }
has-taint = { $object } punya taint dengan efek { $effect }
has-no-taint = { $object } tidak punya taint dengan efek { $effect }
has-label-value = { $object } punya label { $name }={ $value }
has-label = { $object } punya label { $name }
has-no-label = { $object } tidak punya label { $name }
restarted = { $object } punya kontainer yang pernah dimulai ulang
restarted-times = { $object } punya kontainer yang sudah sedikitnya { $times } kali dimulai ulang
container-waits = { $object } punya kontainer yang menunggu: { $reason }
container-ended = { $object } punya kontainer yang sudah berakhir: { $reason }
has-reason = { $object } punya alasan { $reason }
has-image = { $object } punya image { $image }
has-grace = { $object } punya periode penghentian { $seconds } s
has-field = { $object } punya { $path }
has-no-field = { $object } tidak punya { $path }
field-is = { $path } dari { $object } adalah { $number }
field-is-not = { $path } dari { $object } bukan { $number }

wants-pods = { $object } menginginkan { $number } Pod
wants-healthy-pods = { $object } menginginkan { $number } Pod yang sehat
has-pods = { $object } punya { $number } Pod
has-ready-pods = { $object } punya { $number } Pod yang siap
has-available-pods = { $object } punya { $number } Pod yang tersedia
has-latest-pods = { $object } punya { $number } Pod dari templat terbarunya
has-failed-pods = { $object } punya { $number } Pod yang gagal
has-succeeded-pods = { $object } punya { $number } Pod yang berhasil
has-healthy-pods = { $object } punya { $number } Pod yang sehat

no-objects = { $position ->
    [start] Tidak
   *[inside] tidak
} ada { $objects }
objects = { $position ->
    [start] Ada
   *[inside] ada
} { $number } { $objects }
not-objects = { $position ->
    [start] Jumlah
   *[inside] jumlah
} { $objects } bukan { $number }
same-objects = { $position ->
    [start] Semua
   *[inside] semua
} { $objects } tetap sama: tidak ada yang hilang, tidak ada yang ditambahkan

or = { " " }atau{ " " }
named = { $objects } bernama { $names }
labelled = { $objects } berlabel { $labels }
in-phase = { $objects } { $phase }
on-node = { $objects } di { $node }
with-field = { $objects } dengan { $field }
in-namespace = { $objects } di namespace { $namespace }
in-all-namespaces = { $objects } di semua namespace
serving = { $objects } yang siap dan tidak sedang dihapus

no-request = { $position ->
    [start] Tidak
   *[inside] tidak
} ada permintaan ke { $service }{ $which }
one-request = { $position ->
    [start] Ada
   *[inside] ada
} 1 permintaan ke { $service }{ $which }
requests = { $position ->
    [start] Ada
   *[inside] ada
} { $number } permintaan ke { $service }{ $which }
not-requests = { $position ->
    [start] Jumlah
   *[inside] jumlah
} permintaan ke { $service }{ $which } bukan { $number }

that-failed = yang gagal
with-outcome = dengan hasil { $outcome }

between = { $least } sampai { $most }
at-least = paling sedikit { $least }
at-most = paling banyak { $most }
