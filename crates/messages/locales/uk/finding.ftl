nothing = обʼєкти не показують жодних проблем

heading = { $more ->
    [0] { $object }
   *[other] { $object } і ще { $more }
}
heading-of = { $more ->
    [0] { $object } (власник { $owner })
   *[other] { $object } і ще { $more } (власник { $owner })
}
heading-for = { $more ->
    [0] { $object } (уже { $age })
   *[other] { $object } і ще { $more } (уже { $age })
}
heading-of-for = { $more ->
    [0] { $object } (власник { $owner }, уже { $age })
   *[other] { $object } і ще { $more } (власник { $owner }, уже { $age })
}
