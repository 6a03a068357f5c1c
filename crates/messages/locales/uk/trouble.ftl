no-object = немає обʼєкта Node
off = машину вимкнено
off-short = вимкнено
cut-off = відрізано
links-cut = звʼязки розірвано
not-ready = не готовий
cordoned = закрито
