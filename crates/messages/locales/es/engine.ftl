unreadable = la respuesta del motor no se puede leer: { $error }
