newer = este enlace lo creó un Podscope más nuevo, en su formato { $form }: este lee { $known }. Recarga la página, o instala la última versión
no-link = esto no es un enlace de Podscope: no contiene s1:
too-long = { $limit ->
    [one] este enlace tiene más de { $limit } carácter
   *[other] este enlace tiene más de { $limit } caracteres
}
damaged-character = este enlace está dañado: falta un carácter, o hay uno erróneo
unfolds-too-far = { $limit ->
    [one] este enlace, descomprimido, ocupa más de { $limit } byte
   *[other] este enlace, descomprimido, ocupa más de { $limit } bytes
}
damaged-part = este enlace está dañado: falta una parte
no-session = este enlace está dañado: su contenido no es una sesión
too-many-commands = { $limit ->
    [one] este enlace contiene más de { $limit } comando
   *[other] este enlace contiene más de { $limit } comandos
}
too-many-branches = { $limit ->
    [one] este enlace contiene más de { $limit } rama, o demasiados comandos en una de ellas
   *[other] este enlace contiene más de { $limit } ramas, o demasiados comandos en una de ellas
}
no-scenario = este enlace no contiene ningún escenario
