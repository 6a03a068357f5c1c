hints = Підказки
run-it = Виконати
more = Підказка { $number } з { $count }
