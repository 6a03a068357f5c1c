pods-in-domains = { $least } sampai { $most } Pod di { $count } domain

skew-no-constraint = skew { $skew }, tanpa batasan
skew-hard = skew { $skew }, paling banyak { $limit }
skew-soft = skew { $skew }, sebaiknya paling banyak { $limit }
skew-hard-few-domains = skew { $skew }, paling banyak { $limit }; yang paling kosong dihitung 0: { $found } dari { $wanted } domain
skew-soft-few-domains = skew { $skew }, sebaiknya paling banyak { $limit }; yang paling kosong dihitung 0: { $found } dari { $wanted } domain

title = Persebaran { $owner } menurut { $key }
no-constraint = Tanpa batasan: di mana Pod dari pemilik ini berjalan.
hard = maxSkew { $limit }: sebuah Pod hanya ditempatkan jika domain terpenuh tetap paling banyak { $limit } di atas yang paling kosong. Tidak ada yang memindahkan Pod yang sudah berjalan.
soft = maxSkew { $limit }, ScheduleAnyway: penjadwal lebih menyukai domain yang memenuhinya.
