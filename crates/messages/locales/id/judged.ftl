node = { $node }: { $why }
command-refused = Perintah itu ditolak: { $error }
all-well = Dengan perintah itu semuanya baik.
not-reached = Sesudahnya tidak ada yang rusak, tetapi yang diminta tidak tercapai.
findings-after =
    Tiga menit sesudahnya:
    { $findings }
which-command-mends = Satu perintah mana yang memperbaikinya?
