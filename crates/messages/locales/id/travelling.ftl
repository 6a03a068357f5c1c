messages = { $count } pesan
more-than-dots = lebih banyak pesan daripada titik
