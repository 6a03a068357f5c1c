title = Permintaan ke { $service }

failed = { $requests }: { $why }
failed-for = { $requests }: { $why }, selama { $time }
believed = { $failed }; { $node } mencantumkannya sebagai endpoint sejak { $since }
believed-unaware = { $failed }; { $node } mencantumkannya sebagai endpoint sejak { $since }, dan belum mendengar perubahannya

refused = { $count } permintaan ditolak
reset = { $count } permintaan terputus
timeout = { $count } permintaan kehabisan waktu
error = { $count } permintaan dijawab dengan kesalahan
other = { $count } permintaan { $outcome }

starting = { $node } mengirim ke { $pod }, yang berjalan tetapi belum menerima sambungan
not-running = { $node } mengirim ke { $pod }, yang sudah berhenti
not-running-since = { $node } mengirim ke { $pod }, yang sudah berhenti { $ago } sebelumnya
not-running-up-to = { $node } mengirim ke { $pod }, yang sudah berhenti hingga { $ago } sebelumnya
listener-closed = { $node } mengirim ke { $pod }, yang sudah menutup port-nya
listener-closed-since = { $node } mengirim ke { $pod }, yang sudah menutup port-nya { $ago } sebelumnya
listener-closed-up-to = { $node } mengirim ke { $pod }, yang sudah menutup port-nya hingga { $ago } sebelumnya
process-ended = { $node } mengirim ke { $pod }, yang berakhir bersama permintaan di dalamnya
pod-gone = { $node } mengirim ke { $pod }, yang sudah tidak ada di Node-nya
pod-without-power = { $node } mengirim ke { $pod }, yang ada di mesin yang mati
pod-cut-off = { $node } mengirim ke { $pod }, yang ada di balik sambungan yang terputus
server-error = { $node } mengirim ke { $pod }, yang menjawab dengan kesalahan
server-slow = { $node } mengirim ke { $pod }, yang menjawab setelah klien berhenti menunggu

no-service = tidak ada Service { $service }
no-name = { $node } tidak bisa menjangkau DNS klaster
no-rules = { $node } tidak punya aturan untuk { $service }
no-endpoints = { $node } tidak mengenal endpoint { $service } satu pun
no-local-endpoints = { $service } hanya untuk endpoint di Node yang sama, dan { $node } tidak punya
no-power = { $node } mati
cut-off = { $node } tidak terjangkau

a-moment = kurang dari 0.1 s
