too-large = { $name } більший за 256 MiB
unreadable = { $name } неможливо прочитати
empty = { $name } порожній: нічого не відкрито
