welcome = Waktu berhenti selama prompt menunggu: `wait 30s` dan `until 2m` memajukannya. `help` menyebutkan apa saja yang ada; Ctrl-D mengakhiri.
