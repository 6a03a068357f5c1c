title = Buscar una ejecución que rompa una garantía
intro = Cada ejecución tiene otros fallos y después un tiempo de calma, como dice `spec.search` del escenario. Tu ejecución no cambia.
runs = Ejecuciones
from-seed = desde la semilla
stop = Detener
search = Buscar
tried-runs = Ejecuciones probadas
tried = Probadas { $tried } de { $runs ->
        [one] { $runs } ejecución
       *[other] { $runs } ejecuciones
    }, { $broken ->
        [0] ninguna garantía rota
        [one] 1 rompió una garantía
       *[other] { $broken } rompieron una garantía
    }.
tried-and-shrinks = Probadas { $tried } de { $runs ->
        [one] { $runs } ejecución
       *[other] { $runs } ejecuciones
    }, { $broken ->
        [0] ninguna garantía rota
        [one] 1 rompió una garantía
       *[other] { $broken } rompieron una garantía
    }; se busca la más corta…
guarantee = Garantía
runs-that-break = Ejecuciones que la rompen

shortest = La ejecución más corta
shortest-broke = { $guarantee } se rompió en el minuto { $at } con la semilla { $seed }:
shortest-broke-end = .
by = Por:
open-run = Abrir esta ejecución
