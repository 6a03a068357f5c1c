name = Klaster. Tombol panah berpindah di antara Node dan Pod, Enter memilih.
keys-hint = Tombol panah: Node dan Pod · Enter: rincian · Del: hapus
all-zones = Semua zona
zone = zona
machines-without-node = Mesin tanpa objek Node
no-node-object = tanpa objek Node
