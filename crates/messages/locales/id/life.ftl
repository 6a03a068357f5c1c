containers = Kontainer
ready = siap
not-ready = tidak siap
restarts = { $count } kali dimulai ulang
api = API
machine = mesin
rule = aturan
no-process = tidak ada proses
init = init
sidecar = sidecar

conditions = Kondisi
owned-by = Dimiliki oleh
volumes = Volume
termination = Penghentian
stage-from-to = { $stage } { $from } sampai { $to }
stage-until-now = { $stage } { $from } sampai sekarang
