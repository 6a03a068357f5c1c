not-loaded = El escenario indicado en la dirección no se puede cargar.
not-loaded-status = El escenario indicado en la dirección no se puede cargar: el servidor responde { $status }.
not-of-this-site = El escenario indicado en la dirección no es un fichero de este sitio.
too-long = { $bytes ->
    [one] El escenario indicado en la dirección ocupa más de { $bytes } byte.
   *[other] El escenario indicado en la dirección ocupa más de { $bytes } bytes.
}
not-text = El escenario indicado en la dirección no es texto.
