title = Mesin simulasi sibuk
explanation = Sudah lima detik tidak ada jawaban. Anda bisa terus menunggu, atau menghentikannya: sesi lalu dilanjutkan dari simpanan terakhir, tanpa hal yang membuatnya sibuk.
wait = Tunggu
stop = Hentikan
