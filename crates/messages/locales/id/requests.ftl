why-fail = Mengapa permintaan ke { $pod } gagal?
calls = memanggil
no-requests = tidak ada permintaan
why-they-failed = Mengapa gagal
failed = { $count } gagal
more = +{ $count } lagi

every-node = setiap Node
node = Node { $name }
zone = zona { $name }
outside = luar klaster
clients = { $count } klien
