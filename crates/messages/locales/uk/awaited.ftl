outcome = результат
change = зміну обʼєкта { $object }
change-among = зміну серед обʼєктів { $objects }
either = { $one } або { $other }
requests = запити до { $service }
anything = те, що буде далі
not-before = { $what }, не раніше ніж о { $time }
