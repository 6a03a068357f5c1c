place-unknown = Nadie puede decir adónde puede ir: { $why }.

deleted = Se está eliminando: no se vuelve a planificar; lo que sigue lo trata como si estuviera pendiente.
deleted-on = Se está eliminando en el nodo { $node }: no se vuelve a planificar; lo que sigue lo trata como si estuviera pendiente.
deleted-held = Se está eliminando, retenido por { $finalizers }: no se vuelve a planificar; lo que sigue lo trata como si estuviera pendiente.
deleted-on-held = Se está eliminando en el nodo { $node }, retenido por { $finalizers }: no se vuelve a planificar; lo que sigue lo trata como si estuviera pendiente.

has-ended = { $how }. No se vuelve a planificar; lo que sigue lo trata como si estuviera pendiente.
was-evicted = Lo han desalojado: { $message }
has-succeeded = Ha terminado con éxito (Succeeded)
has-failed = Ha fallado
ended-for = Ha terminado ({ $reason })

is-placed = Ya está colocado en el nodo { $node }; lo que sigue lo trata como si estuviera pendiente.
is-gated = { $count ->
    [one] Su puerta de planificación { $gates } lo retiene: el planificador no lo mira. Lo que sigue es lo que decidiría sin la puerta.
   *[other] Sus puertas de planificación { $gates } lo retienen: el planificador no lo mira. Lo que sigue es lo que decidiría sin las puertas.
}
