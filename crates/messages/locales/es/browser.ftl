not-loaded = El escenario que nombra la dirección no se puede cargar.
not-loaded-status = El escenario que nombra la dirección no se puede cargar: el servidor responde { $status }.
not-of-this-site = El escenario que nombra la dirección no es un fichero de este sitio.
too-long = { $bytes ->
    [one] El escenario que nombra la dirección ocupa más de { $bytes } byte.
   *[other] El escenario que nombra la dirección ocupa más de { $bytes } bytes.
}
not-text = El escenario que nombra la dirección no es texto.
