# The introduction of a first visit, and the way in with a pending pod.

# The title is these two sentences.
title = Six machines and one control plane, alive in this tab.
subtitle = See what Kubernetes believes, and what is true.
free-play = Free play
cut-node = Cut a node off
start-course = Start the course
# Also the title of the dialog that it opens.
my-pod-is-pending = My pod is Pending
close = Close this

## My pod is Pending

# Before a command and the button "Copy".
in-terminal = In a terminal that reaches your cluster:
copy = Copy
copied = Copied
cannot-copy = The browser does not copy: mark the text
kinds-hint = Kinds that your cluster does not serve can be left out. It stays in this browser.
# Before a field.
paste-hint = Paste what it printed here, or drop the file anywhere:
# Name of that field.
paste = Paste your cluster here
open-it = Open it
choose-file = or choose a file
select-hint = Select the pod: the first words say why, and what would help.
