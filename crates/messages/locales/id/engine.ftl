unreadable = jawaban mesin simulasi tidak bisa dibaca: { $error }
