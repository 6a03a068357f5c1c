not-saved = No se ha podido guardar { $name }
session-kept = Tu sesión de { $time } está guardada: Ficheros, Sesiones.
