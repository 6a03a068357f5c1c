not-loaded = Skenario yang disebut alamat ini tidak bisa dimuat.
not-loaded-status = Skenario yang disebut alamat ini tidak bisa dimuat: server menjawab { $status }.
not-of-this-site = Skenario yang disebut alamat ini bukan berkas dari situs ini.
too-long = Skenario yang disebut alamat ini lebih panjang daripada { $bytes } byte.
not-text = Skenario yang disebut alamat ini bukan teks.
