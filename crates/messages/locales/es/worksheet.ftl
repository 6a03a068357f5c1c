print = Imprimir
about-pages = La página acaba después de cada pregunta, porque la siguiente cuenta lo que ocurrió. Las respuestas están en una página aparte.
name = Nombre: ______________________________
start-over = Empieza de nuevo para ver la imagen del clúster: ahora mostraría la primera respuesta.
cluster = El clúster
try-command = Prueba:
after = Después de ____________
qr-code = Un código que abre { $address }

answers = Respuestas
other-answers = otras respuestas
rule = La regla:
