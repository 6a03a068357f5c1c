details = Detalles
close = Cerrar los detalles
close-hint = Cerrar (Esc)
legend = Leyenda
close-legend = Cerrar la leyenda

why-here = ¿Por qué aquí?
life = Vida
events = Eventos
yaml = YAML
hidden-answer = Se mostrará cuando hayas respondido.
no-events = No hay eventos.

what-can-be-done = Qué se puede hacer
what-if-it-goes = ¿Y si desaparece?
how-many-more-fit = ¿Cuántos más caben?
