all-terms = Semua istilah
