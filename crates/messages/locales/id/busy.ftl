title = Mesin simulasi sibuk
explanation = Sudah lima detik tidak ada jawaban. Anda bisa terus menunggu, atau menghentikannya: sesi lalu dilanjutkan dari simpanan terakhir, tanpa hal yang membuatnya sibuk.
loading-title = Mesin simulasi masih dimuat
loading = Bagian yang kini diperlukan datang perlahan. Anda bisa terus menunggu, atau menghentikannya: sesi lalu dilanjutkan dari simpanan terakhir, tanpa hal yang memerlukan bagian itu.
wait = Tunggu
stop = Hentikan
