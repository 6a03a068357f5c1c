not-saved = Не вдалося зберегти { $name }
session-kept = Вашу сесію ({ $time }) збережено: Файли, Сесії.
