would-go = { $pod } iría a { $node }
would-stay = { $pod } seguiría en Pending
now-on = ahora en { $node }

drained-short = drenado
drained = se drenaría
off-short = apagado
off = se quedaría sin corriente
would-come = { $count ->
    [one] llegaría { $count }
   *[other] llegarían { $count }
}
can-go = sobra
more-fit = { $count ->
    [0] no cabe ninguno más
    [one] cabe 1 más
   *[other] caben { $count } más
}
