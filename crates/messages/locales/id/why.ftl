nobody-can-say = Tidak ada yang tahu mengapa Pod ini Pending: { $what }.
real-scheduler-said = Kata penjadwal yang nyata:
not-looked-at-yet = Penjadwal belum melihat Pod ini.
scheduler-not-asked = Pod ini diikat sebelum t = 0, atau datang bersama Node-nya: penjadwal tidak ditanya.
attempt = Percobaan { $number } dari { $count } · { $instant }
last-attempt = Percobaan terakhir
attempt-before = Percobaan sebelumnya
next-attempt = Percobaan berikutnya
as-the-event-says = Seperti kata event-nya

cannot-take-it = Tidak bisa menerimanya ({ $count })
nodes = { $count } Node
and-more = dan { $count } lagi
devices = Perangkat

scores = Nilai
plugin = plugin
weight = bobot
total = total
what-it-adds = Yang ditambahkan { $plugin }
and-more-nodes = dan { $count } Node lagi

spread-by = Persebaran menurut { $key }
spread-hard = Yang paling kosong punya { $least }; maxSkew { $skew } mengizinkan paling banyak { $limit } di masing-masing.
spread-soft = Yang paling kosong punya { $least }; menurut maxSkew { $skew } sebaiknya paling banyak { $limit } di masing-masing.
spread-hard-few-domains = Yang paling kosong dihitung 0: ada { $found } dari { $wanted } domain (minDomains { $wanted }); maxSkew { $skew } mengizinkan paling banyak { $limit } di masing-masing.
spread-soft-few-domains = Yang paling kosong dihitung 0: ada { $found } dari { $wanted } domain (minDomains { $wanted }); menurut maxSkew { $skew } sebaiknya paling banyak { $limit } di masing-masing.
full = penuh
full-hint = Dengan Pod ini ketidakseimbangan (skew) menjadi { $skew }
not-scored = tidak dinilai
not-scored-hint = Tidak ada Node di sana yang bisa menerima Pod ini

making-room = Mengosongkan tempat
nominated = dinominasikan
victims = korban: { $pods }
may-stay = boleh tetap: { $pods }
victim = { $pod } (prioritas { $priority })
no-pods = tidak ada
against-budget = { $count } melanggar bujet disrupsi

what-would-help = Apa yang akan membantu?
what-would-help-pod = Apa yang akan membantu { $pod }?
trying = Mencoba perubahan
stop = Hentikan
try-on-branch = Coba di cabang
try-remedy = Coba di cabang: { $remedy }
one-more-node = Satu Node lagi dari sebuah kelompok
nothing-found = Tidak ditemukan satu perubahan pun yang cukup untuk membuatnya bisa dijadwalkan.
nothing-can-be-tried = Tidak ada perubahan yang bisa dicoba: { $what }. Jika itu ada di antara berkasnya, akan ada jawaban.
nothing-found-foreign = Tidak ditemukan satu perubahan pun yang cukup: penjadwal `{ $scheduler }` tidak berjalan di sini, dan tidak ada penjadwal yang berjalan yang punya Node untuknya.
