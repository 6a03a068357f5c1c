key-next-step = Paso siguiente de la historia
key-step-before = Paso anterior
key-spotlight = Foco
key-code = Código QR de este instante
key-console = Consola
key-timeline = Línea de tiempo
key-timer = Temporizador: cuenta atrás de cinco minutos (ajustable)
key-ask = La pregunta en grande, para la clase; otra vez: qué ocurre
key-end = Terminar

presenting = Presentación
spotlight = Foco
qr-code = Código QR
console = Consola
timeline = Línea de tiempo
timer = Temporizador
end = Terminar

ask-class = Preguntar a la clase
question = Una pregunta para la clase
what-happens = ¿Qué ocurre?

minute-less = Un minuto menos
minute-more = Un minuto más
time-left = Tiempo restante

code = Código QR: un enlace a este instante
link-too-long = Este enlace tiene { $count ->
    [one] { $count } carácter
   *[other] { $count } caracteres
    }; en un código QR caben 2 953. Compártelo como fichero.
cannot-save = El navegador no permite guardar aquí.
save-code = Guardar el código
show-large = Mostrarlo en grande
