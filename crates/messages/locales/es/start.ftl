title = Seis máquinas y un plano de control, vivos en esta pestaña.
subtitle = Mira lo que cree Kubernetes, y lo que es verdad.
free-play = Juego libre
cut-node = Aislar un nodo
start-course = Empezar el curso
my-pod-is-pending = Mi Pod está en Pending
close = Cerrar la introducción

in-terminal = En un terminal con acceso a tu clúster:
copy = Copiar
copied = Copiado
cannot-copy = El navegador no permite copiar: selecciona el texto
kinds-hint = Los tipos que tu clúster no ofrece se pueden omitir. Todo se queda en este navegador.
paste-hint = Pega aquí lo que haya mostrado, o suelta el fichero en cualquier parte:
paste = Pega aquí tu clúster
open-it = Abrirlo
choose-file = o elige un fichero
select-hint = Selecciona el Pod: las primeras palabras dicen por qué, y qué ayudaría.
