refused = { $node }: { $reason } ({ $plugin }).
alike = { $predicted } і { $chosen } мають однакову оцінку: вирішив жереб.
points-more = { $points ->
    [one] { $plugin } дав вузлу { $chosen } на { $points } бал більше, ніж { $predicted }.
    [few] { $plugin } дав вузлу { $chosen } на { $points } бали більше, ніж { $predicted }.
    [many] { $plugin } дав вузлу { $chosen } на { $points } балів більше, ніж { $predicted }.
   *[other] { $plugin } дав вузлу { $chosen } на { $points } балів більше, ніж { $predicted }.
}

fits = підходить
chosen = { $verdict } · вибрано
