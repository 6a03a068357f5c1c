name = { $nodes ->
    [one] { $nodes } вузол
    [few] { $nodes } вузли
    [many] { $nodes } вузлів
   *[other] { $nodes } вузлів
} у { $groups ->
    [one] { $groups } групі
   *[other] { $groups } групах
}; стрілки ведуть від вузла до вузла, Enter вибирає
groups = Групи
all-groups = Усі групи

group-hint = { $nodes ->
    [one] { $nodes } вузол
    [few] { $nodes } вузли
    [many] { $nodes } вузлів
   *[other] { $nodes } вузлів
}, { $pods ->
    [one] { $pods } Pod
    [few] { $pods } Podʼи
    [many] { $pods } Podʼів
   *[other] { $pods } Podʼів
}. Показати лише цю групу
not-ready = { $count ->
    [one] { $count } не готовий
    [few] { $count } не готові
    [many] { $count } не готові
   *[other] { $count } не готові
}
pods = Podʼів
