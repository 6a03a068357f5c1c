broken = Порушено о { $time } через { $cause }: { $violation }.

cause-command = команда
cause-fault = збій
cause-bug = помилка
