asked-again = Repaso
still-know = ¿Todavía lo sabes?
one-question = Una pregunta de «{ $lesson }», en una ejecución que no has visto.
ask-me = Pregúntame
not-now = Ahora no
