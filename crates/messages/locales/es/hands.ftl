second-run-clicked = Esta ejecución solo acompaña, con el mismo reloj. Para mirar dentro, ábrela por separado.
nothing-to-delete = La API ya lo ha olvidado: no queda nada que eliminar. Repara el enlace, o apaga la máquina.

zone = Zona { $name }
node = Nodo { $name }
