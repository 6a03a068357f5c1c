not-saved = { $name } tidak bisa disimpan
session-kept = Sesi Anda dari { $time } tersimpan: Berkas, Sesi.
