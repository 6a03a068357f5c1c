title = Cari simulasi yang melanggar jaminan
intro = Setiap simulasi mengalami gangguan yang berbeda, lalu masa tenang, seperti dinyatakan `spec.search` dari skenario. Simulasi Anda sendiri tidak berubah.
runs = Simulasi
from-seed = mulai dari seed
stop = Hentikan
search = Cari
tried-runs = Simulasi dicoba
tried = { $tried } dari { $runs } simulasi dicoba, { $broken ->
        [0] tidak ada jaminan yang dilanggar
       *[other] { $broken } melanggar jaminan
    }.
tried-and-shrinks = { $tried } dari { $runs } simulasi dicoba, { $broken ->
        [0] tidak ada jaminan yang dilanggar
       *[other] { $broken } melanggar jaminan
    }; yang terpendek sedang dicari…
guarantee = Jaminan
runs-that-break = Simulasi yang melanggarnya

shortest = Simulasi terpendek
shortest-broke = { $guarantee } dilanggar pada { $at } dengan seed { $seed }:
shortest-broke-end = .
by = Oleh:
open-run = Buka simulasi ini
