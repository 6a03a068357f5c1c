find = Знайти Podʼи та вузли
placeholder = Імʼя, мітка, стан, власник, вузол, образ або IP
hint = Enter переходить до наступного, Shift + Enter — до попереднього
close = Знову показати все
found = { $pods ->
    [one] { $pods } Pod
    [few] { $pods } Podʼи
    [many] { $pods } Podʼів
   *[other] { $pods } Podʼів
}, { $nodes ->
    [one] { $nodes } вузол
    [few] { $nodes } вузли
    [many] { $nodes } вузлів
   *[other] { $nodes } вузлів
}
