not-saved = No se ha podido guardar { $name }
session-kept = Tu sesión ({ $time }) está guardada en Ficheros › Sesiones.
