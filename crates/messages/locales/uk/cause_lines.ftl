binds = привʼязує
creates = створює
nominates = номінує
preempts = витісняє
taints = заплямовує
evicts = виселяє
deletes = видаляє
