refused = { $node }: { $reason } ({ $plugin }).
alike = { $predicted } y { $chosen } tuvieron la misma puntuación: decidió el sorteo.
points-more = { $points ->
    [one] { $plugin } dio a { $chosen } { $points } punto más que a { $predicted }.
   *[other] { $plugin } dio a { $chosen } { $points } puntos más que a { $predicted }.
}

fits = cabe
chosen = { $verdict } · elegido
separator = ,{ " " }
sentence = { $text }.
