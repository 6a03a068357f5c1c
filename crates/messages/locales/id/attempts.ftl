solved = selesai
guessed = selesai setelah prediksi yang salah
hinted = selesai dengan petunjuk
shown = selesai dengan Tunjukkan
