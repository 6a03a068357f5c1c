search-failed = pencarian perangkat gagal: { $error }
pool-incomplete = pool { $pool } tidak lengkap: belum semua slice-nya diumumkan
pool-invalid = pool { $pool } tidak valid: slice-nya saling bertentangan

request = permintaan { $request } dari klaim { $claim }
request-of-class = permintaan { $request } dari klaim { $claim } (kelas { $class })

gets = { $request }: mendapat { $devices }
passed-over = { $request }: dilewati: dengan { $devices }, permintaan lain akan mendapat terlalu sedikit perangkat
allocated = { $request }: sudah punya { $devices }
allocated-elsewhere = { $request }: sudah punya { $devices }, yang tidak bisa dipakai Node ini
no-device-published = { $request }: tidak mendapat apa-apa: tidak ada driver yang mengumumkan perangkat untuk Node ini
no-device = { $request }: tidak mendapat apa-apa: tidak ada perangkat yang bisa dipakai
none-of = { $request }: meminta { $asks } perangkat, dan tidak ada yang bisa dipakai
too-few = { $request }: meminta { $asks } perangkat, dan hanya { $has } yang bisa dipakai: { $devices }
none-matches = { $request }: meminta semua perangkat yang cocok, dan tidak ada yang cocok
not-all = { $request }: meminta semua perangkat yang cocok, dan tidak mendapat apa-apa: tidak semuanya bisa diambil
both = { $one } dan { $other }
and-unsuitable = { $request }; { $devices }: { $why }

with-details = { $device } ({ $details })
amount = { $amount } { $name }
takes = mengambil { $takes } { $counter } dari { $set }, tersisa { $left }

devices-and-more = { $more ->
    [0] { $devices }
   *[other] { $devices } dan { $more } lagi
}

held = dipegang klaim { $claim }
held-for-pods = dipegang klaim { $claim } milik Pod { $pods }
taken = diberikan kepada permintaan { $request } dari klaim { $claim }
excluded-by-class = tidak memenuhi selektor { $index } dari kelas { $class }, { $expression }
excluded-by-request = tidak memenuhi selektor { $index } dari permintaan ini, { $expression }
class-selector-error = selektor { $index } dari kelas { $class }, { $expression }, tidak bisa dievaluasi: { $error }
request-selector-error = selektor { $index } dari permintaan ini, { $expression }, tidak bisa dievaluasi: { $error }
other-node = bukan untuk Node ini
no-such-capacity = tidak punya kapasitas { $name }
capacity-policy = kebijakannya tidak mengizinkan { $amount } { $name }
too-little = { $name } terlalu sedikit: diminta { $asks }, tersisa { $left }
counter-too-low = memerlukan { $takes } { $counter } dari { $set }, yang tersisa { $left }
taint = taint { $taint } tidak ditoleransi
no-attribute = tidak punya atribut { $attribute }, yang dibandingkan oleh sebuah batasan
differs = { $attribute } adalah { $value }, sedangkan pada perangkat yang harus sama dengannya { $wanted }
repeats = { $attribute } adalah { $value }, sama seperti pada perangkat lain yang harus berbeda darinya
leaves-too-few = dengannya, permintaan lain akan mendapat terlalu sedikit perangkat

counter-of-set = { $counter } dari { $set }
