no-steps = No hay ningún paso: una lección cuenta algo en `spec.steps`.
no-solution = No hay solución: *Muéstramelo* no tiene nada que reproducir.
few-bypasses = { $count ->
   *[other] Una lección enumera al menos dos intentos que tientan y no funcionan (`wrong`, `bypasses`); aquí hay { $count }.
}
no-goal = Ningún paso tiene un objetivo: no hay nada que alcanzar.
shows-at-once = El paso { $step } se muestra nada más mostrarse el anterior: di en `when` qué tiene que haber ocurrido.
follows-clock = El paso { $step } solo sigue el reloj: su `when` no nombra ningún objeto, así que contaría algo que nadie ha hecho.
blind-promise = Un `keep` del paso { $step } se cumple aunque el objeto del que habla se elimine y se cree de nuevo; usa `ready`, `same` o `never`: { $condition }
hint-no-command = Una pista del paso { $step } empieza como un comando, así que al pulsarla se ejecuta, y no es un comando: { $hint }
unknown-term = El paso { $step } enlaza [[{ $term }]], que no es un término del glosario.
no-gap = El manifiesto del paso { $step } no tiene ningún hueco (`___`): es la solución entera.

nothing-reaches-goals = Sin hacer nada se alcanzan los últimos objetivos: se cumplen por sí solos.
bypass-reaches-goals = El atajo { $number } alcanza los últimos objetivos, y no debería: { $commands }
unseen-reply = El paso { $step } responde a un error que no comete ningún atajo, así que nadie ha visto la respuesta: { $reply }
never-shows = Con la solución, el paso { $step } no se muestra nunca.
never-shows-waits = Con la solución, el paso { $step } no se muestra nunca; espera esto: { $condition }.
holds-already = Un objetivo del paso { $step } ya se cumple cuando se muestra el paso, así que nadie lo alcanza (el estado de un objeto puede ir por detrás de lo que se acaba de cambiar): { $condition }
goal-not-reached = La solución no alcanza un objetivo del paso { $step }: { $condition }
promise-broken = La solución incumple algo que el paso { $step } pide mantener: { $condition }
solution-is-mistake = En { $time }, la lección responde a la solución como a un error (paso { $step }): { $reply }
shows-too-early = El paso { $next } se muestra antes de que la ejecución haya respondido a la pregunta del paso { $step }, y puede delatar la respuesta o cambiarla: haz que espere (`at` en su `when`), o pregunta por un instante anterior.
never-answered = La pregunta del paso { $step } no llega a tener respuesta: { $ask }
no-option = La ejecución responde { $value } a la pregunta del paso { $step }, y esa no es ninguna de las opciones { $options }: { $ask }
asks-too-late = El paso { $step } pregunta por algo que ya ha ocurrido: { $ask }
other-pace = { $seconds ->
   *[other] Quien da los comandos de la solución { $seconds } s después de mostrarse cada paso no llega al final: { $why }
}

step-never-shows = el paso { $step } no se muestra nunca
step-never-shows-waits = el paso { $step } no se muestra nunca; espera esto: { $condition }
answer-no-option = la respuesta { $value } al paso { $step } no es ninguna de sus opciones
goal-open = un objetivo del paso { $step } no se alcanza: { $condition }
