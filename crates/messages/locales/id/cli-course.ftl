exam = ujian: { $minutes } menit, syarat lulus { $pass }%
of-site = { $path } (dari situs)
own-lesson = pelajaran milik kursus sendiri
practice = latihan { $family }, seed { $seed }, tingkat { $level }
weighted = { $item }, bobot { $weight }
