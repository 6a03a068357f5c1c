no-node-object = tanpa objek Node
no-machine = tanpa mesin
machine-is-off = mesin mati
off = mati
no-kubelet = kubelet tidak berjalan
no-runtime = runtime tidak menjawab
cut-off-last-heard = terputus, kabar terakhir { $time } lalu
unreachable = tidak terjangkau { $time }
not-ready = tidak siap
not-ready-because = tidak siap: { $reason }

cut-off = terputus
cut-off-from = terputus dari { $end }
nothing-from-arrives = tidak ada yang tiba dari { $end }
nothing-arrives-at = tidak ada yang tiba di { $end }
nothing-sent-arrives = yang dikirim kepadanya tidak tiba
first-cut-and-more = { $first } dan { $count } lagi

cut-off-notready-in = terputus · NotReady dalam { $time }
notready-in = NotReady dalam { $time }
notready-evicts-in = NotReady · mengusir dalam { $time }
evicts-in = mengusir dalam { $time }

name = Node { $node }
ready = siap
cordoned = di-cordon
pods = { $count } Pod
only-name-known = hanya namanya yang diketahui

pods-only-name-known = { $count } Pod · hanya namanya yang diketahui
running-pods = { $count } Pod berjalan
cordoned-hint = Di-cordon: tidak ada Pod baru
taint = Taint { $taint }
verdict-at = { $verdict } pada { $instant }

heal-links = Pulihkan sambungan { $node }
cut-everything = Putuskan { $node } dari semuanya

requests = request: cpu { $cpu }, memori { $memory }, { $pods } dari { $places } Pod
wants = { $pod } meminta { $amount }
free = { $amount } bebas
has = { $node } punya { $amount }

pods-on = Pod di { $node }
nominated-hint = { $pod } dinominasikan ke sini: tempat sedang dikosongkan untuknya
nominated-here = dinominasikan ke sini:
api-nominated = API: dinominasikan
waits-for-room = menunggu tempat

api = API
pressure-as-in-files = Tekanan seperti dalam berkas, yang tidak diukur siapa pun di sini: berlangsung sampai mesin dinyalakan ulang
pressure-lasts-longer = Tekanan masih dilaporkan 5 mnt lagi setelah berlalu, kecuali evictionPressureTransitionPeriod menyatakan lain
