to-cluster = Ir al clúster
title = Qué garantiza Kubernetes
intro = Un Pod es una sola ejecución de sus procesos: se crea, se vincula a un nodo, se ejecuta en él, termina, desaparece. Estas son las garantías sobre esa vida: quién mantiene cada una y qué la rompe. Podscope las comprueba todas en cada instante de cada ejecución; la que se rompe se nombra en la escena, con el comando o el fallo que la rompió.
kept-by = La mantiene
broken-by = La rompe
always = siempre
in-the-end = al final
see-it = Verlo: { $lesson }
