nodes = tidak ada berkas yang memuat Node
claims = tidak ada berkas yang memuat klaim { $names } miliknya
volumes = tidak ada berkas yang memuat volume dari klaim { $names } miliknya
