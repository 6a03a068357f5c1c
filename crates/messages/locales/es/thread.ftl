what-led-here = Qué llevó a esto
left-out = Los registros anteriores se omiten.
