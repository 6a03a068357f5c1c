figures = Angka
this-run = simulasi ini
other-run = yang lain
plot = { $resource } yang diminta di setiap Node, dari yang paling penuh sampai yang paling kosong
