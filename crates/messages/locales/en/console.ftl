# The console.

console = Console
# The label of the field.
command = Command
close = Close the console
close-hint = Close (Esc)
completions = Completions

## Placeholders of the field

# $last - the last command.
type-or-last = Type a command, or ↑ for the last one: { $last }
type-command = Type a command, such as kubectl get pods

## The log

log = What was commanded and printed
# While it is empty. kubectl, fault and help are commands.
empty-log = kubectl … changes what the API server holds, fault … the world around it. help lists both.
# After the first line of a command; $count is the number of its lines.
lines = { $count ->
   *[other] { $count } lines
}

## What Enter and Esc do with pasted lines

manifests = Manifests: Enter applies them, Esc drops them.
scenario = A scenario: Enter opens it, and this session is kept. Esc drops it.
open-document = Enter adds a line; the last one ends it. Esc drops it.
commands = { $count ->
    [one] Enter runs it, Esc drops it.
   *[other] Enter runs these { $count } commands, Esc drops them.
}
