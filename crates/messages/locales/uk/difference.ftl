new-problems = Нові проблеми
problems-gone = Проблеми, яких уже немає
changed = Змінено
added = Додано
removed = Прибрано

nothing-differs = Відмінностей немає.
problem = { $problem } { $object }: { $reason }
moved = { $pod }: { $from } -> { $to }
fields = { $object }: { $fields }
fields-more = { $object }: { $fields } і ще { $more }
