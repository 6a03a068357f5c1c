console = Konsol
command = Perintah
close = Tutup konsol
close-hint = Tutup (Esc)
completions = Pelengkapan otomatis

type-or-last = Ketik perintah, atau ↑ untuk yang terakhir: { $last }
type-command = Ketik perintah, misalnya kubectl get pods

log = Perintah dan keluarannya
empty-log = kubectl … mengubah apa yang disimpan Server API, fault … mengubah dunia di sekitarnya. help menampilkan keduanya.
lines = { $count } baris

manifests = Manifes: Enter menerapkannya, Esc membuangnya.
scenario = Skenario: Enter membukanya, dan sesi ini disimpan. Esc membuangnya.
open-document = Enter menambah baris; baris terakhir mengakhirinya. Esc membuangnya.
commands = { $count ->
    [1] Enter menjalankannya, Esc membuangnya.
   *[other] Enter menjalankan { $count } perintah ini, Esc membuangnya.
}
