about-opening = Tentang yang sedang dibuka
still-opening = { $count } masalah. Klaster belum selesai dibuka.
about-opened = Tentang yang dibuka
all-notices = semua { $count }
read = Sudah saya baca
