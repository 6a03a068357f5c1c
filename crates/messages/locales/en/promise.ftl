# A guarantee in the inspector.

broken-as-well = Broken as well
# $at is an instant on the clock, $duration how long the guarantee was broken. Follows another sentence.
restored = Whole again at { $at }, after { $duration }.

## Ways back

ways-back = Ways back
back-to = Back to { $at }
# Before the command or fault that broke the guarantee, as code; before-command-end follows it.
before-command = Just before
before-command-end = : what you do there is another course of time; this one stays.
before-violation = Just before it broke: what you do there is another course of time; this one stays.
undo = Undo the last command
undo-hint = The run goes on as if it had not been given.
heal-all = Heal everything
heal-all-hint = Every cut is removed.
heal = Heal { $node }
heal-hint = Its kubelet hears what was decided meanwhile, and ends what it should not run.
power-off = Power { $node } off
power-off-hint = Fencing: what runs there ends for certain.
