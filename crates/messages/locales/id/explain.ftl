refused = { $node }: { $reason } ({ $plugin }).
alike = { $predicted } dan { $chosen } sama nilainya: undian yang menentukan.
points-more = { $plugin } memberi { $chosen } { $points } poin lebih banyak daripada { $predicted }.

fits = muat
chosen = { $verdict } · dipilih
separator = ,{ " " }
sentence = { $text }.
