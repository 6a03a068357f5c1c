goals = Tujuan
mistake-noted = Ada yang salah pada langkah ini. Pemutaran ulang setelah ujian menunjukkan apa yang salah.

to-do = belum:
reached = tercapai:
missed = terlewat:

to-keep = jaga:
kept = terjaga:
broken = dilanggar:
