student = PESERTA
lesson = PELAJARAN
finished = SELESAI
goals = TUJUAN
answers = JAWABAN
hints = PETUNJUK
shown = DITUNJUKKAN
minutes = MENIT
check = PEMERIKSAAN

yes = ya
no = tidak
replayed = terbukti

passed = { $student }: { $percent }%, lulus{ $missing ->
    [0] { "" }
   *[other] , { $missing } tugas tanpa pengerjaan
}
not-passed = { $student }: { $percent }%, tidak lulus{ $missing ->
    [0] { "" }
   *[other] , { $missing } tugas tanpa pengerjaan
}
mistake = { $count } dari { $of } menjawab { $wrong }; yang benar menurut simulasi { $right }
