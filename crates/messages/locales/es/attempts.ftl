solved = hecha
guessed = hecha tras una predicción errónea
hinted = hecha con pistas
shown = hecha con «Muéstramelo»
