second-map = Titik dua ini membuat map kedua pada baris ini: beri teksnya tanda kutip, atau beri baris ini indentasi seperti baris di atasnya.
key-needed = Di sini diperlukan sebuah kunci: mulailah baris pada kolom kunci-kunci lain dalam map-nya.
item-needed = Di sini diperlukan sebuah butir: mulailah baris dengan - pada kolom butir-butir lain dalam daftarnya.
map-open = Sebelum ini diperlukan koma atau { "}" }: sebuah map dalam kurung kurawal belum ditutup.
list-open = Sebelum ini diperlukan koma atau ]: sebuah daftar dalam kurung siku belum ditutup.
value-needed = Di sini diperlukan sebuah nilai.
colon-needed = Setelah kunci ini diperlukan titik dua dan spasi.
quote-needed = Tanda kutip yang dibuka di sini diperlukan sekali lagi, di akhir teks.
no-tabs = Di sini diperlukan spasi: indentasi YAML tidak pernah memakai tab.
wrong-start = Di sini diperlukan spasi atau tanda kutip: baris tidak diindentasi dengan tab, dan teks biasa tidak boleh dimulai dengan @ atau `.

unknown-field = Tidak ada field seperti itu di sini: periksa ejaannya, dan seberapa jauh indentasi barisnya.
required = Field ini harus ada.
no-quantity = Kuantitas adalah angka dengan satuan: 500m, 2, 128Mi, 1Gi.
selector = Selektor menemukan Pod lewat labelnya: templatnya memerlukan label yang sama.
no-name = Huruf kecil, angka, dan -, dengan huruf atau angka di kedua ujungnya.
unsupported = Hanya nilai yang terdaftar di sana yang dikenal; huruf besar dan kecil dibedakan.
unserved = kind dan apiVersion berpasangan: periksa keduanya.
no-text = Field ini meminta teks: beri nilainya tanda kutip.
other-type = Field ini meminta nilai dari jenis lain: angka tanpa tanda kutip, true atau false, daftar, atau map.
duplicate = Nama ini sudah ada: nama dalam satu daftar harus berbeda.

gaps-left = { $count ->
    [1] Masih ada 1 bagian kosong: ganti ___
   *[other] Masih ada { $count } bagian kosong: ganti setiap ___
}
