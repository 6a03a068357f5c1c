pods-in-domains = { $count ->
    [one] de { $least } a { $most } Pods en { $count } dominio
   *[other] de { $least } a { $most } Pods en { $count } dominios
}

skew-no-constraint = desequilibrio { $skew }, sin restricción
skew-hard = desequilibrio { $skew }, como máximo { $limit }
skew-soft = desequilibrio { $skew }, preferiblemente { $limit } como máximo
skew-hard-few-domains = { $wanted ->
    [one] desequilibrio { $skew }, como máximo { $limit }; el más vacío cuenta como 0: { $found } de { $wanted } dominio
   *[other] desequilibrio { $skew }, como máximo { $limit }; el más vacío cuenta como 0: { $found } de { $wanted } dominios
}
skew-soft-few-domains = { $wanted ->
    [one] desequilibrio { $skew }, preferiblemente { $limit } como máximo; el más vacío cuenta como 0: { $found } de { $wanted } dominio
   *[other] desequilibrio { $skew }, preferiblemente { $limit } como máximo; el más vacío cuenta como 0: { $found } de { $wanted } dominios
}

title = Distribución de { $owner } por { $key }
no-constraint = Sin restricción: dónde se ejecutan los Pods de su propietario.
hard = maxSkew { $limit }: un Pod va solo a donde el dominio más lleno quede como máximo { $limit } por encima del más vacío. Nadie mueve los Pods en ejecución.
soft = maxSkew { $limit }, ScheduleAnyway: el planificador prefiere los dominios que lo respetan.
