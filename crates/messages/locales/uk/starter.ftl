manifest = Маніфест
as-it-was = Як було
apply = Застосувати
