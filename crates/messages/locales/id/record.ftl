a-lesson-is-recorded = Sebuah pelajaran sedang direkam
recording = Merekam pelajaran.
about = Yang Anda lakukan menjadi langkah-langkahnya; perintah yang ditolak tidak ikut. Untuk membuat tujuan, pilih sebuah objek dan tekan salah satu field YAML-nya.
goals = Tujuan
not-a-goal = Bukan tujuan: { $goal }
save = Simpan pelajaran
stop = Hentikan
