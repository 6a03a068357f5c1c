api-says = API: { $status }
api-no-such-pod = API: такого немає
api-nobody-knows = API: ніхто не знає
api-running-unsure = API: Running?
api-deleting = API: видаляється

runs = працює
still-runs = ще працює
runs-unheard = працює, не чути
runs-not-told = працює, ще не знає
runs-cannot-be-told = працює, не дізнається
has-ended = завершився
has-ended-unheard = завершився, не чути
no-power = без живлення: нічого не працює
nothing-runs = нічого не працює
prestop-hook = хук preStop
waits-for-turn = чекає своєї черги
got-sigterm = отримав SIGTERM
got-sigkill = отримав SIGKILL

not-reported = звіту ще немає
sigterm-in = SIGTERM через { $time }
sigkill-in = SIGKILL через { $time }

not-ready = не готовий
nobody-knows = ніхто не знає
next-start-in = запуск через { $time }

both = { $api }; на машині: { $process }
both-and-next = { $api }; на машині: { $process }, { $next }
