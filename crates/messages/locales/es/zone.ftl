name = { $key } { $value }
without = sin { $key }
other-run = { $group }, otra ejecución

pods-and-ghosts = { $ghosts ->
    [one] { $pods } (+{ $ghosts } fantasma)
   *[other] { $pods } (+{ $ghosts } fantasmas)
}
here = { $owner }: { $pods } aquí
here-with-limit = { $owner }: { $pods } aquí; como máximo { $limit } mientras el más vacío tenga { $least } (maxSkew { $skew })
