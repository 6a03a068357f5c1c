pods = Podʼи
nodes = Вузли
pod = Pod
from = Звідки
to = Куди
from-none = немає
to-none = нікуди: { $reason }
