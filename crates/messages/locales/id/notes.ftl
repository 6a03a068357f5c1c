notes = Catatan
