search-failed = la búsqueda de dispositivos ha fallado: { $error }
pool-incomplete = el pool { $pool } está incompleto: no se han publicado todos sus slices
pool-invalid = el pool { $pool } no es válido: sus slices se contradicen

request = petición { $request } de la solicitud { $claim }
request-of-class = petición { $request } de la solicitud { $claim } (clase { $class })

gets = { $request }: recibe { $devices }
passed-over = { $request }: se pasa por alto: con { $devices }, a otra petición le faltarían dispositivos
allocated = { $request }: ya tiene { $devices }
allocated-elsewhere = { $request }: ya tiene { $devices }, que este nodo no puede usar
no-device-published = { $request }: no recibe nada: ningún driver publica un dispositivo para este nodo
no-device = { $request }: no recibe nada: ningún dispositivo es apto
none-of = { $asks ->
    [one] { $request }: pide { $asks } dispositivo, y ninguno es apto
   *[other] { $request }: pide { $asks } dispositivos, y ninguno es apto
}
too-few = { $asks ->
    [one] { $request }: pide { $asks } dispositivo, y de los aptos solo hay { $has }: { $devices }
   *[other] { $request }: pide { $asks } dispositivos, y de los aptos solo hay { $has }: { $devices }
}
none-matches = { $request }: pide todos los dispositivos que coincidan, y no coincide ninguno
not-all = { $request }: pide todos los dispositivos que coincidan, y no recibe nada: no se pueden tomar todos
both = { $one } y { $other }
and-unsuitable = { $request }; { $devices }: { $why }

with-details = { $device } ({ $details })
amount = { $amount } de { $name }
takes = consume { $takes } de { $counter } en { $set }, quedan { $left }

devices-and-more = { $more ->
    [0] { $devices }
   *[other] { $devices } y { $more } más
}

held = en poder de la solicitud { $claim }
held-for-pods = { $count ->
    [one] en poder de la solicitud { $claim } del Pod { $pods }
   *[other] en poder de la solicitud { $claim } de los Pods { $pods }
}
taken = para la petición { $request } de la solicitud { $claim }
excluded-by-class = no se cumple el selector { $index } de la clase { $class }, { $expression }
excluded-by-request = no se cumple el selector { $index } de la petición, { $expression }
class-selector-error = el selector { $index } de la clase { $class }, { $expression }, no se puede evaluar: { $error }
request-selector-error = el selector { $index } de la petición, { $expression }, no se puede evaluar: { $error }
other-node = no para este nodo
no-such-capacity = sin capacidad { $name }
capacity-policy = su política no permite { $amount } de { $name }
too-little = { $name } insuficiente: se piden { $asks }, quedan { $left }
counter-too-low = hacen falta { $takes } de { $counter } en { $set }, donde quedan { $left }
taint = no se tolera la contaminación { $taint }
no-attribute = sin el atributo { $attribute }, que compara una restricción
differs = { $attribute } es { $value }, y { $wanted } en los dispositivos con los que tiene que coincidir
repeats = { $attribute } es { $value }, como en otro dispositivo del que se tiene que distinguir
leaves-too-few = así a otras peticiones les faltarían dispositivos

counter-of-set = { $counter } de { $set }
