counts = { $seeds ->
    [one] випробувано { $seeds } зерно, щось порушилося в { $runs } з них
    [few] випробувано { $seeds } зерна, щось порушилося в { $runs } з них
    [many] випробувано { $seeds } зерен, щось порушилося в { $runs } з них
   *[other] випробувано { $seeds } зерна, щось порушилося в { $runs } з них
}
none = { $seeds ->
    [one] { $wanted ->
        [bug] жодної вади з { $seeds } зерном
        [violation] жодного порушення з { $seeds } зерном
       *[other] жодного порушення { $wanted } з { $seeds } зерном
    }
    [few] { $wanted ->
        [bug] жодної вади з { $seeds } зернами
        [violation] жодного порушення з { $seeds } зернами
       *[other] жодного порушення { $wanted } з { $seeds } зернами
    }
    [many] { $wanted ->
        [bug] жодної вади з { $seeds } зернами
        [violation] жодного порушення з { $seeds } зернами
       *[other] жодного порушення { $wanted } з { $seeds } зернами
    }
   *[other] { $wanted ->
        [bug] жодної вади з { $seeds } зерна
        [violation] жодного порушення з { $seeds } зерна
       *[other] жодного порушення { $wanted } з { $seeds } зерна
    }
}

faults-left = лишилося збоїв: { $left } з { $faults }, з них без лагодження: { $unrepaired }; з ними прогін зазнав невдачі { $times } з { $times } разів
no-fault-left-out = { $faults ->
    [one] жодного з { $faults } збою не можна було прибрати
    [few] жодного з { $faults } збоїв не можна було прибрати
    [many] жодного з { $faults } збоїв не можна було прибрати
   *[other] жодного з { $faults } збою не можна було прибрати
}
