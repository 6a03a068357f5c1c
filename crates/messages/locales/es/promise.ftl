broken-as-well = También rotas
restored = Restablecida en el minuto { $at }, después de { $duration }.

ways-back = Cómo volver
back-to = Volver a { $at }
before-command = Justo antes de
before-command-end = : lo que hagas ahí va en otra rama; esta se conserva.
before-violation = Justo antes de que se rompiera: lo que hagas ahí va en otra rama; esta se conserva.
undo = Deshacer el último comando
undo-hint = La ejecución sigue como si ese comando no se hubiera dado.
heal-all = Repararlo todo
heal-all-hint = Se quitan todos los cortes.
heal = Reparar { $node }
heal-hint = Su kubelet se entera de lo que se decidió entretanto, y termina lo que no debería ejecutar.
power-off = Apagar { $node }
power-off-hint = Fencing: lo que se ejecuta ahí termina con seguridad.
