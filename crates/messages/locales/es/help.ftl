hints = Pistas
run-it = Ejecutarlo
more = Pista { $number } de { $count }
