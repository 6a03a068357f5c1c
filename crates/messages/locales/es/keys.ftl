time = Tiempo
play-or-pause = Reproducir o pausar
next-event = Evento siguiente
next-decision = Avanzar hasta la decisión siguiente
mark-before = Volver a la marca anterior
speed = Más lento, más rápido
to-start = Volver al principio
branch = Rama: conservar este futuro y seguir desde aquí
undo = Deshacer el último comando

cluster = Clúster
nearest = Al Pod o nodo más cercano
select = Seleccionarlo; otra vez: leer sus detalles
menu = Todo lo que se puede hacer con él
delete-pod = Eliminar el Pod
force-delete-pod = Forzar la eliminación del Pod
cut-or-heal = Aislar el nodo, o repararlo
cordon = Acordonar el nodo, o retirar el cordón
drain = Drenar el nodo
power = Apagar o encender la máquina
help-pending = Qué ayudaría al Pod pendiente

page = Página
find = Buscar Pods y nodos; Enter va al siguiente
console = Consola
lessons = Lecciones
editor = Editor; Ctrl + M permite salir de él con Tab
share = Compartir
theme = Tema
present = Presentar: letra grande, solo el clúster y la historia
close = Cerrar, o quitar la selección
this-sheet = Esta hoja

presenting = Mientras presentas

with-mouse = Con el ratón
drag-across-links = Arrastrar sobre enlaces
drag-across-links-does = Cortarlos
drag-to-bin = Llevar un Pod a la papelera
drag-to-bin-does = Eliminarlo; con Shift, forzar la eliminación
right-click = Clic derecho
right-click-does = Todo lo que se puede hacer con él
wheel = Rueda en la línea de tiempo
wheel-does = Zoom

with-finger = Con un dedo
rest = Mantenerlo sobre un Pod
rest-does = Todo lo que se puede hacer con él
rest-and-drag = Mantenerlo y arrastrar
rest-and-drag-does = Eliminarlo, como con el ratón
rest-and-stroke = Mantenerlo y trazar
rest-and-stroke-does = Cortar enlaces
space = Espacio
