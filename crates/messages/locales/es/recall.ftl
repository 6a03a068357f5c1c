asked-again = Repaso
still-know = ¿Aún te acuerdas?
one-question = Una pregunta de «{ $lesson }», en una ejecución que no has visto.
ask-me = Pregúntame
not-now = Ahora no
