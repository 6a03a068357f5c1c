link-unreadable = tautannya tidak bisa dibaca: { $error }
run-of-namesake = dikumpulkan sebagai “{ $claimed }”, tetapi pengerjaannya berasal dari skenario lain dengan nama itu
run-of-another = dikumpulkan sebagai “{ $claimed }”, tetapi pengerjaannya berasal dari “{ $title }”
not-finished = menyatakan bahwa pelajarannya selesai, tetapi pengerjaannya tidak sampai selesai
no-hand-in = di dalamnya tidak ada pengerjaan yang disimpan untuk dikumpulkan (JSON) ataupun tautan ({ $prefix }…)
too-many-runs = { $count } pengerjaan: paling banyak { $limit } yang dinilai
problem = { $place }: { $message }
