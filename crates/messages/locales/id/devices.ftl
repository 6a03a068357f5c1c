devices = Perangkat
counted = { $count } perangkat: { $counts }
held = { $count } dipegang
shared = { $count } dipakai bersama
blocked = { $count } terhalang
tainted = { $count } ber-taint
free = { $count } bebas

taint = Taint
blocked-other-devices = Terhalang: perangkat lain menghabiskan
held-by = Dipegang oleh
share-held-by = Sebagian dipegang oleh
reserved-for-none = tidak untuk Pod mana pun
for-pods = untuk { $pods }
