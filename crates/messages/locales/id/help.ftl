hints = Petunjuk
run-it = Jalankan
more = Petunjuk { $number } dari { $count }
