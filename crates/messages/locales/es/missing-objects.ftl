nodes = ningún fichero tiene un Node
claims = { $count ->
    [one] ningún fichero tiene su solicitud { $names }
   *[other] ningún fichero tiene sus solicitudes { $names }
}
volumes = { $count ->
    [one] ningún fichero tiene el volumen de su solicitud { $names }
   *[other] ningún fichero tiene los volúmenes de sus solicitudes { $names }
}
