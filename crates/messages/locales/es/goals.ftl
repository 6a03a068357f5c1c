goals = Objetivos
mistake-noted = Algo ha ido mal en este paso. La repetición posterior al examen dice qué.

to-do = por hacer:
reached = alcanzado:
missed = no alcanzado:

to-keep = por mantener:
kept = mantenido:
broken = incumplido:
