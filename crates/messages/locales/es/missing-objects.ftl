nodes = ningún fichero contiene un Node
claims = { $count ->
    [one] ningún fichero contiene su solicitud { $names }
   *[other] ningún fichero contiene sus solicitudes { $names }
}
volumes = { $count ->
    [one] ningún fichero contiene el volumen de su solicitud { $names }
   *[other] ningún fichero contiene los volúmenes de sus solicitudes { $names }
}
