node = { $node }: { $why }
command-refused = Команді відмовлено: { $error }
all-well = Після неї все гаразд.
not-reached = Після неї нічого не зламано, але того, що просили, не досягнуто.
findings-after =
    Через три хвилини після неї:
    { $findings }
which-command-mends = Яка одна команда це виправить?
