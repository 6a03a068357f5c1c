to-cluster = Ke klaster
title = Apa yang dijamin Kubernetes
intro = Sebuah Pod adalah satu kali jalannya proses-proses di dalamnya: dibuat, diikat ke satu Node, dijalankan di sana, berakhir, hilang. Inilah jaminan tentang hidup itu: siapa yang menjaga masing-masing, dan apa yang melanggarnya. Podscope memeriksa semuanya pada setiap saat dalam setiap simulasi; jaminan yang dilanggar disebut di gambar, beserta perintah atau gangguan yang melanggarnya.
kept-by = Dijaga oleh
broken-by = Dilanggar oleh
always = selalu
in-the-end = pada akhirnya
see-it = Lihat sendiri: { $lesson }
