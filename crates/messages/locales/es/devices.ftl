devices = Dispositivos
counted = { $count ->
    [one] { $count } dispositivo: { $counts }
   *[other] { $count } dispositivos: { $counts }
}
held = { $count ->
    [one] { $count } retenido
   *[other] { $count } retenidos
}
shared = { $count ->
    [one] { $count } compartido
   *[other] { $count } compartidos
}
blocked = { $count ->
    [one] { $count } bloqueado
   *[other] { $count } bloqueados
}
tainted = { $count ->
    [one] { $count } contaminado
   *[other] { $count } contaminados
}
free = { $count ->
    [one] { $count } libre
   *[other] { $count } libres
}

taint = Contaminación
blocked-other-devices = Bloqueado: otros dispositivos agotan
held-by = Retenido por
share-held-by = Una parte la retiene
reserved-for-none = no reservado para ningún Pod
for-pods = para { $pods }
