why = Mengapa: { $why }.
scheduler-says = Kata kube-scheduler: { $message }
scheduler-said = Kata kube-scheduler di klaster: { $message }

nodes = Node
fits = muat
refused = ditolak

devices = Perangkat
device-error = kesalahan: { $error }
incomplete-pool = pool { $pool } tidak lengkap
invalid-pool = pool { $pool } tidak valid

scores = Nilai (setelah dikalikan bobot)
node = Node
total = total

spread = Persebaran menurut { $key } ({ $kind }, maxSkew { $skew }, yang paling kosong punya { $fewest })
spread-too-few = Persebaran menurut { $key } ({ $kind }, maxSkew { $skew }, yang paling kosong punya { $fewest }: dihitung 0, karena hanya ada { $found } dari { $least } domain)
skew = skew { $skew } dengan Pod ini
not-scored = tidak dinilai: tidak ada Node di sana yang bisa menerima Pod ini
within-limit = dalam batas
too-many = terlalu banyak
above-limit = di atas batas, hanya memengaruhi nilai

preemption = Pemindahan: { $what }
candidate = { $node }: korban: { $victims }; boleh tetap: { $reprieved }; PodDisruptionBudget yang dilanggar: { $violations }
victim = { $pod } (prioritas { $priority }{ $budgets })
budget = , bujet { $name } mengizinkan { $allowed }
no-pods = tidak ada

groups = Kelompok Node (model cluster autoscaler)
ended = Kontainer yang sudah berakhir
