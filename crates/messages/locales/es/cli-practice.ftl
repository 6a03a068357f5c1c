task = { $title } (semilla { $seed }, nivel { $level })

right = Correcto. { $why }
wrong = Incorrecto. { $why }
right-answer = La respuesta correcta es { $answer }. { $why }
rule = Regla: { $rule }

next = Cuándo toca cada tema (según SM-2):
level = nivel { $level }
due = { $days ->
    [0] hoy
    [1] mañana
   *[other] dentro de { $days } días
}
