counts = { $seeds ->
    [one] { $seeds } semilla probada; ejecuciones en las que se rompió algo: { $runs }
   *[other] { $seeds } semillas probadas; ejecuciones en las que se rompió algo: { $runs }
}
none = { $seeds ->
    [one] { $wanted ->
        [bug] ningún bug en { $seeds } semilla
        [violation] ninguna garantía rota en { $seeds } semilla
       *[other] { $wanted } no se rompe en { $seeds } semilla
    }
   *[other] { $wanted ->
        [bug] ningún bug en { $seeds } semillas
        [violation] ninguna garantía rota en { $seeds } semillas
       *[other] { $wanted } no se rompe en { $seeds } semillas
    }
}

faults-left = { $faults ->
    [one] fallos que quedan: { $left } de { $faults }, de ellos sin reparar: { $unrepaired }; así la ejecución salió mal { $times } de { $times } veces
   *[other] fallos que quedan: { $left } de { $faults }, de ellos sin reparar: { $unrepaired }; así la ejecución salió mal { $times } de { $times } veces
}
no-fault-left-out = { $faults ->
    [one] no se ha podido prescindir del único fallo
   *[other] no se ha podido prescindir de ninguno de los { $faults } fallos
}
