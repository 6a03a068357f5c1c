progress = Kemajuan
answered-of = { $done } dari { $count } dijawab
done-of = { $done } dari { $count } selesai
answered = dijawab
done = selesai
begin-with = Mulai: { $title }
continue-with = Lanjutkan: { $title }
your-name = Nama atau nomor Anda
hand-in = Simpan berkas untuk dikumpulkan
leave = Tinggalkan kursus
about-file = Hanya disimpan di perangkat ini. Berkasnya memuat tautan setiap pengerjaan, dan penilainya memutar ulang pengerjaan itu.
replay = Putar ulang
replay-of = Putar ulang { $title }
place = { $number } dari { $count }

task-answered = dijawab
task-begun = dimulai
score = { $percent }%
with-weight = { $state } · bobot { $weight }
not-tried = belum dicoba · bobot { $weight }

about-exam = { $minutes } menit, { $pass }% poin untuk lulus. Bagian tugas ikut dihitung. Petunjuk dan Tunjukkan dimatikan.
about-exam-with-hints = { $minutes } menit, { $pass }% poin untuk lulus. Bagian tugas ikut dihitung. Petunjuk dan Tunjukkan boleh dipakai.
begin-exam = Mulai ujian
end-exam = Akhiri ujian
left = Tersisa { $minutes } menit.
left-short = Tersisa { $minutes } menit

end-exam-now = Akhiri ujian sekarang?
all-answered = Semua tugas sudah dijawab.
not-answered = { $count ->
    [1] Tugas { $tasks } belum dijawab.
   *[other] { $count } tugas belum dijawab: { $tasks }.
}
left-before-end = Tersisa { $minutes } menit. Sesudahnya tidak ada yang bisa diubah.
go-on = Lanjutkan ujian
end-it = Akhiri

passed = Lulus: { $percent }% poin; syaratnya { $pass }%.
not-passed = Tidak lulus: { $percent }% poin; syaratnya { $pass }%.
about-replay = Setiap pemutaran ulang menampilkan pengerjaan Anda dengan semua jawaban dan alasannya.
begin-again = Mulai lagi
