refused = { $node }: { $reason } ({ $plugin }).
alike = { $predicted } і { $chosen } мають однакову оцінку: вирішив жереб.
points-more = { $points ->
    [one] { $plugin } дав вузлу { $chosen } на { $points } бал більше, ніж вузлу { $predicted }.
    [few] { $plugin } дав вузлу { $chosen } на { $points } бали більше, ніж вузлу { $predicted }.
    [many] { $plugin } дав вузлу { $chosen } на { $points } балів більше, ніж вузлу { $predicted }.
   *[other] { $plugin } дав вузлу { $chosen } на { $points } балів більше, ніж вузлу { $predicted }.
}

fits = підходить
chosen = { $verdict } · вибрано
separator = ,{ " " }
sentence = { $text }.
