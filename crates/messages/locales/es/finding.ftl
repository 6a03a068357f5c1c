nothing = los objetos no muestran ningún problema

heading = { $more ->
    [0] { $object }
   *[other] { $object } y { $more } más
}
heading-of = { $more ->
    [0] { $object } (de { $owner })
   *[other] { $object } y { $more } más (de { $owner })
}
heading-for = { $more ->
    [0] { $object } (desde hace { $age })
   *[other] { $object } y { $more } más (desde hace { $age })
}
heading-of-for = { $more ->
    [0] { $object } (de { $owner }, desde hace { $age })
   *[other] { $object } y { $more } más (de { $owner }, desde hace { $age })
}
