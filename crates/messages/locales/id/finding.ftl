nothing = tidak ada yang salah sejauh yang terlihat dari objek

heading = { $more ->
    [0] { $object }
   *[other] { $object } dan { $more } lagi
}
heading-of = { $more ->
    [0] { $object } (milik { $owner })
   *[other] { $object } dan { $more } lagi (milik { $owner })
}
heading-for = { $more ->
    [0] { $object } (selama { $age })
   *[other] { $object } dan { $more } lagi (selama { $age })
}
heading-of-for = { $more ->
    [0] { $object } (milik { $owner }, selama { $age })
   *[other] { $object } dan { $more } lagi (milik { $owner }, selama { $age })
}
