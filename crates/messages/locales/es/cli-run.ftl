no-scenario = (sin escenario)
head = { $title }: semilla { $seed }, ejecutado hasta { $time }
note = nota: { $notice }

held = ok
failed = FALLO
skipped = sin comprobar

refused = rechazado en { $time }: { $command }: { $error }
broken = invariante { $invariant } rota en { $time } (causa: { $cause }) { $by }

objects = objetos: { $counts }
no-objects = objetos: ninguno
trace = { $records ->
    [one] traza: { $records } registro, hash { $hash }
   *[other] traza: { $records } registros, hash { $hash }
}
