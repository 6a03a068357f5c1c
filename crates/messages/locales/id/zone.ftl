name = { $key } { $value }
without = tanpa { $key }
other-run = { $group }, simulasi yang lain

pods-and-ghosts = { $pods } (+{ $ghosts } hantu)
here = { $owner }: { $pods } di sini
here-with-limit = { $owner }: { $pods } di sini; paling banyak { $limit } boleh ditempatkan selama yang paling kosong punya { $least } (maxSkew { $skew })
