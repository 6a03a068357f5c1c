no-scenario = (без сценарію)
head = { $title }: зерно { $seed }, прогін до { $time }
note = зауваження: { $notice }

held = так
failed = НІ
skipped = не перевірено

refused = о { $time } відмовлено: { $command }: { $error }
broken = о { $time } порушено інваріант { $invariant } (причина: { $cause }) { $by }

objects = обʼєкти: { $counts }
no-objects = обʼєктів немає
trace = { $records ->
    [one] журнал прогону: { $records } запис, хеш { $hash }
    [few] журнал прогону: { $records } записи, хеш { $hash }
    [many] журнал прогону: { $records } записів, хеш { $hash }
   *[other] журнал прогону: { $records } запису, хеш { $hash }
}
