# Why an answer to a practice task is right or wrong.

# $why (Sentence) - why the node can or cannot take the pod, such as: too full for its requests.
node = { $node }: { $why }
# $error (String) - output of kubectl.
command-refused = The command is refused: { $error }
all-well = With it all is well.
not-reached = Nothing is broken after it, but what was asked for is not reached.
# $findings (String) - problems of the cluster, a line each.
findings-after =
    Three minutes after it:
    { $findings }
# The question of a task whose answer is a command.
which-command-mends = Which one command mends it?
