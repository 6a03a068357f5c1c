outcome = ya se sabe el resultado
change = cambia { $object }
change-among = cambia alguno de estos objetos: { $objects }
either = { $one } o { $other }
requests = hay peticiones a { $service }
anything = ocurre lo que sigue
not-before = { $what }, no antes de { $time }
