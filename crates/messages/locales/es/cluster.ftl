name = Clúster
starting = Arrancando el clúster…

this-run = Esta ejecución y sus carriles
this-run-hint = La línea de tiempo de abajo, sus carriles y la historia son de esta ejecución
same-seed = Misma semilla
with-commands = con sus comandos
without-commands = sin comandos
end = Terminar
end-comparison = Terminar la comparación

delete = Eliminar: respeta su período de gracia
force-delete = Forzar eliminación: el nombre queda libre en el acto
