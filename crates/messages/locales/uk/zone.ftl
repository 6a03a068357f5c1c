name = { $key } { $value }
without = без { $key }
other-run = { $group }, інший прогін

pods-and-ghosts = { $ghosts ->
    [one] { $pods } (+{ $ghosts } привид)
    [few] { $pods } (+{ $ghosts } привиди)
    [many] { $pods } (+{ $ghosts } привидів)
   *[other] { $pods } (+{ $ghosts } привидів)
}
here = { $owner }: тут { $pods }
here-with-limit = { $owner }: тут { $pods }; можна розмістити щонайбільше { $limit }, доки в найпорожнішій групі { $least } (maxSkew { $skew })
