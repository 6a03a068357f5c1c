broken-as-well = Juga dilanggar
restored = Pulih lagi pada { $at }, setelah { $duration }.

ways-back = Jalan kembali
back-to = Kembali ke { $at }
before-command = Tepat sebelum
before-command-end = : apa yang Anda lakukan di sana menjadi alur waktu lain; yang ini tetap ada.
before-violation = Tepat sebelum dilanggar: apa yang Anda lakukan di sana menjadi alur waktu lain; yang ini tetap ada.
undo = Urungkan perintah terakhir
undo-hint = Simulasi berlanjut seolah-olah perintah itu tidak pernah diberikan.
heal-all = Pulihkan semuanya
heal-all-hint = Semua pemutusan dihilangkan.
heal = Pulihkan { $node }
heal-hint = kubelet-nya mendengar apa yang diputuskan sementara itu, dan mengakhiri apa yang tidak boleh dijalankannya.
power-off = Matikan { $node }
power-off-hint = Isolasi: yang berjalan di sana pasti berakhir.
