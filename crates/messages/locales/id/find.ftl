find = Cari Pod dan Node
placeholder = Nama, label, status, pemilik, Node, image, atau IP
hint = Enter ke yang berikutnya, Shift + Enter ke yang sebelumnya
close = Tampilkan semuanya lagi
found = { $pods } Pod, { $nodes } Node
