no-scenario = (tanpa skenario)
head = { $title }: seed { $seed }, berjalan sampai { $time }
note = catatan: { $notice }

held = ok
failed = GAGAL
skipped = dilewati

refused = ditolak pada { $time }: { $command }: { $error }
broken = jaminan { $invariant } dilanggar pada { $time } (penyebab: { $cause }) { $by }

objects = objek: { $counts }
no-objects = objek: tidak ada
trace = jejak: { $records } catatan, hash { $hash }
