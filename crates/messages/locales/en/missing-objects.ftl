# Why it is unknown what a pending pod waits for: objects that no file of a dump contains.

nodes = no file has a Node
# $names (String) - names of PersistentVolumeClaims.
claims = { $count ->
    [one] no file has its claim { $names }
   *[other] no file has its claims { $names }
}
volumes = { $count ->
    [one] no file has the volume of its claim { $names }
   *[other] no file has the volumes of its claims { $names }
}
