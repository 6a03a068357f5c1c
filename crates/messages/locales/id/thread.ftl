what-led-here = Yang menyebabkan ini
left-out = Catatan yang lebih awal tidak ditampilkan.
