skip-to = Saltar hasta
