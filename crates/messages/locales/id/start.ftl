title = Enam mesin dan satu control plane, hidup di tab ini.
subtitle = Lihat apa yang dipercaya Kubernetes, dan apa yang sebenarnya.
free-play = Main bebas
cut-node = Putuskan sebuah Node
start-course = Mulai kursus
my-pod-is-pending = Pod saya Pending
close = Tutup ini

in-terminal = Di terminal yang bisa menjangkau klaster Anda:
copy = Salin
copied = Disalin
cannot-copy = Peramban ini tidak menyalin: pilih teksnya
kinds-hint = Kind yang tidak dilayani klaster Anda boleh dilewatkan. Semuanya tetap di peramban ini.
paste-hint = Tempelkan keluarannya di sini, atau seret berkasnya ke mana saja:
paste = Tempelkan klaster Anda di sini
open-it = Buka
choose-file = atau pilih berkas
select-hint = Pilih Pod itu: kalimat pertamanya menjelaskan mengapa, dan apa yang akan membantu.
