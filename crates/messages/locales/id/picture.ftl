broken = Dilanggar pada { $time } oleh { $cause }: { $violation }.

cause-command = perintah
cause-fault = gangguan
cause-bug = bug
