asked-again = Ditanyakan lagi
still-know = Masih ingat?
one-question = Satu pertanyaan dari “{ $lesson }”, dalam simulasi yang belum pernah Anda lihat.
ask-me = Tanyakan
not-now = Nanti saja
