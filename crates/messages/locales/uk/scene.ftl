name = Кластер. Клавіші зі стрілками переходять між вузлами та Podʼами, Enter вибирає.
keys-hint = Клавіші зі стрілками: вузли та Podʼи · Enter: подробиці · Del: видалити
all-zones = Усі зони
zone = зона
machines-without-node = Машини без обʼєкта Node
no-node-object = немає обʼєкта Node
