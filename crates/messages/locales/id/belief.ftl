no-such-node = tidak mengenal Node ini
ready = Ready
ready-last-heard = Ready, kabar terakhir { $time } lalu
notready-since = NotReady sejak { $instant }
not-ready-since = tidak siap sejak { $instant }

notready-at = NotReady pada { $instant }
nobody-judges-down = tidak ada yang menilai: { $component } mati
nobody-judges-no-leader = tidak ada yang menilai: belum ada controller-manager yang memimpin
evicts = mengusir { $count } Pod pada { $instant }
evicts-more = { $count } lagi pada { $instant }
evicts-later = { $count } lagi sesudahnya
