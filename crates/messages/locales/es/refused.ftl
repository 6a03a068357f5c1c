and-more = { $count ->
    [one] { $problem } (y { $count } problema más)
   *[other] { $problem } (y { $count } problemas más)
}
no-lesson = no hay ninguna lección { $name }
no-family = no hay ninguna familia de práctica { $name }
no-families = no hay ninguna familia de práctica
no-course = no hay ningún curso { $name }
no-task = ningún sorteo de la semilla { $seed } en el nivel { $level } tiene exactamente una respuesta correcta
