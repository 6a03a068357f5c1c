name = Klaster
starting = Memulai klaster…

this-run = Simulasi ini, dan lajurnya
this-run-hint = Garis waktu di bawah, lajurnya, dan ceritanya adalah milik simulasi ini
same-seed = Seed yang sama
with-commands = dengan perintahnya
without-commands = tanpa perintah
end = Akhiri
end-comparison = Akhiri perbandingan

delete = Hapus: Pod mendapat periode penghentiannya
force-delete = Hapus paksa: namanya langsung bebas
