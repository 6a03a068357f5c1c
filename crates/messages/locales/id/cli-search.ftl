counts = { $seeds } seed, di { $runs } di antaranya ada yang dilanggar
none = { $wanted ->
    [bug] tidak ada bug dalam { $seeds } seed
    [violation] tidak ada pelanggaran dalam { $seeds } seed
   *[other] tidak ada pelanggaran { $wanted } dalam { $seeds } seed
}

faults-left = { $left } dari { $faults } gangguan tersisa, { $unrepaired } di antaranya tanpa pemulihan: dengan itu simulasi gagal { $times } dari { $times } kali
no-fault-left-out = tidak satu pun dari { $faults } gangguan bisa dihilangkan
