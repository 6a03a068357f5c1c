exam = { $minutes ->
    [one] examen: { $minutes } minuto; para aprobar, { $pass } %
   *[other] examen: { $minutes } minutos; para aprobar, { $pass } %
}
of-site = { $path } (del sitio)
own-lesson = una lección propia del curso
practice = práctica { $family }, semilla { $seed }, nivel { $level }
weighted = { $item }, peso { $weight }
