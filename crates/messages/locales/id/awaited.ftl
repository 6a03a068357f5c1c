outcome = hasilnya
change = perubahan pada { $object }
change-among = perubahan di antara { $objects }
either = { $one } atau { $other }
requests = permintaan ke { $service }
anything = apa yang terjadi berikutnya
not-before = { $what }, paling cepat pada { $time }
