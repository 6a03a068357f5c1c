api-says = API: { $status }
api-no-such-pod = API: tidak ada Pod ini
api-nobody-knows = API: tidak diketahui
api-running-unsure = API: Running?
api-deleting = API: sedang dihapus

runs = berjalan
still-runs = masih berjalan
runs-unheard = berjalan tanpa kabar
runs-not-told = berjalan, belum tahu
runs-cannot-be-told = berjalan, tak terjangkau
has-ended = sudah berakhir
has-ended-unheard = berakhir tanpa kabar
no-power = mesin mati, tanpa proses
nothing-runs = tanpa proses
prestop-hook = hook preStop
waits-for-turn = menunggu giliran
got-sigterm = SIGTERM tiba
got-sigkill = SIGKILL tiba

not-reported = belum dilaporkan
sigterm-in = SIGTERM dalam { $time }
sigkill-in = SIGKILL dalam { $time }

not-ready = tidak siap
nobody-knows = tidak diketahui
next-start-in = mulai lagi dalam { $time }

both = { $api }; di mesin: { $process }
both-and-next = { $api }; di mesin: { $process }, { $next }
