second-run-clicked = Simulasi ini hanya ikut berjalan, dengan jam yang sama. Untuk melihat ke dalamnya, bukalah tersendiri.
nothing-to-delete = API sudah melupakannya: tidak ada lagi yang bisa dihapus. Pulihkan sambungannya, atau matikan mesinnya.

zone = Zona { $name }
node = Node { $name }
