title = Compartir
what = Qué compartir
link = Enlace
frame = Marco
picture = Imagen
film = Película
present = Presentarlo aquí
present-hint = Letra grande; solo el clúster, la historia y el reloj (Shift + P)
making-link = Creando un enlace…
rename = Cambiar antes los nombres de los objetos: así nadie ve los tuyos
save-names = Guardar los nombres
save-names-hint = El fichero se queda contigo: con él sabrás a qué se refiere una respuesta sobre app-17

link-copied = Enlace copiado.
frame-copied = Marco copiado.
cannot-copy = El navegador no permite copiar aquí: selecciona el texto y cópialo.
characters = { $number ->
    [one] { $count } carácter
   *[other] { $count } caracteres
}
save-file = Guardar como fichero
copy = Copiar
opens-the-same = Abre lo mismo desde el principio, con la misma semilla.
holds-everything = Lo contiene todo: el escenario, la semilla { $seed }, lo que se hizo y cuándo, el instante, lo que está seleccionado. No se guarda nada en ningún otro sitio.
qr-code = Código QR

frame-hint = Un marco para una página tuya. Allí funciona por sí solo, y no toca lo que sus visitantes tengan guardado.
parts = Partes
part-story = Historia
part-cluster = Clúster
part-timeline = Línea de tiempo
part-details = Detalles
part-console = Consola
size = Tamaño
theme = Tema
theme-visitor = el del visitante
theme-light = claro
theme-dark = oscuro
preview = Vista previa
end-preview = Cerrar la vista previa
preview-title = Vista previa del marco

picture-hint = El clúster en este instante, como dibujo que siempre se ve nítido o como píxeles.
save-svg = Guardar como SVG
save-png = Guardar como PNG

film-hint = Una película corta de lo que se ha reproducido: un dibujo animado para una diapositiva, una página o un chat. Se ve en cualquier navegador, una y otra vez.
film-from = De
film-to = a
film-in = en
film-length = Duración de la película
make-film = Crear la película
making-film = Creando la película…
played-until = Lo que se ha reproducido termina en { $end }.
end-before-beginning = El final de una película tiene que ir después de su comienzo.
the-film = La película
recording = Grabando: tarda lo que dura la película.
save-video = Guardar como vídeo
save-video-hint = WebM, o MP4 si el navegador solo tiene ese
save-film = Guardar la película
cannot-save-film = No se ha podido guardar la película
cannot-record = Este navegador no graba vídeo: guarda la película.
