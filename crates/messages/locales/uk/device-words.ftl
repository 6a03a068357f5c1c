search-failed = пошук пристроїв не вдався: { $error }
pool-incomplete = пул { $pool } неповний: опубліковано не всі його ResourceSliceʼи
pool-invalid = пул { $pool } недійсний: його ResourceSliceʼи суперечать один одному

request = запит { $request } заявки { $claim }
request-of-class = запит { $request } заявки { $claim } (клас { $class })

gets = { $request }: отримує { $devices }
passed-over = { $request }: його пропущено: якби він узяв { $devices }, інший запит отримав би замало пристроїв
allocated = { $request }: уже має { $devices }
allocated-elsewhere = { $request }: уже має { $devices }, але цей вузол не може цього використати
no-device-published = { $request }: не отримує нічого: жоден драйвер не публікує пристрою для цього вузла
no-device = { $request }: не отримує нічого: жоден пристрій не підходить
none-of = { $asks ->
    [one] { $request }: просить { $asks } пристрій, і жоден не підходить
    [few] { $request }: просить { $asks } пристрої, і жоден не підходить
    [many] { $request }: просить { $asks } пристроїв, і жоден не підходить
   *[other] { $request }: просить { $asks } пристроїв, і жоден не підходить
}
too-few = { $asks ->
    [one] { $request }: просить { $asks } пристрій, а підходить лише { $has }: { $devices }
    [few] { $request }: просить { $asks } пристрої, а підходить лише { $has }: { $devices }
    [many] { $request }: просить { $asks } пристроїв, а підходить лише { $has }: { $devices }
   *[other] { $request }: просить { $asks } пристроїв, а підходить лише { $has }: { $devices }
}
none-matches = { $request }: просить усі відповідні пристрої, а таких немає
not-all = { $request }: просить усі відповідні пристрої і не отримує нічого: не всі з них можна взяти
both = { $one } і { $other }
and-unsuitable = { $request }; { $devices }: { $why }

with-details = { $device } ({ $details })
amount = { $amount } { $name }
takes = бере { $takes } { $counter } з { $set }, лишається { $left }

devices-and-more = { $more ->
    [0] { $devices }
   *[other] { $devices } і ще { $more }
}

held = зайнято заявкою { $claim }
held-for-pods = { $count ->
    [1] зайнято заявкою { $claim } Podʼа { $pods }
   *[other] зайнято заявкою { $claim } Podʼів { $pods }
}
taken = дістається запиту { $request } заявки { $claim }
excluded-by-class = відкинуто селектором { $index } класу { $class }, { $expression }
excluded-by-request = відкинуто селектором { $index } запиту, { $expression }
class-selector-error = селектор { $index } класу { $class }, { $expression }, неможливо обчислити: { $error }
request-selector-error = селектор { $index } запиту, { $expression }, неможливо обчислити: { $error }
other-node = не для цього вузла
no-such-capacity = немає місткості { $name }
capacity-policy = політика пристрою не дозволяє { $amount } { $name }
too-little = замало { $name }: запитано { $asks }, лишилося { $left }
counter-too-low = потрібно { $takes } { $counter } із { $set }, а там лишилося { $left }
taint = заплямованість { $taint } не толерується
no-attribute = немає атрибута { $attribute }, який порівнює обмеження
differs = { $attribute } — { $value }, а в пристроїв, з якими має бути збіг, — { $wanted }
repeats = { $attribute } — { $value }, як і в іншого пристрою, від якого має бути відмінність
leaves-too-few = з ним інші запити отримали б замало пристроїв

counter-of-set = { $counter } з { $set }
