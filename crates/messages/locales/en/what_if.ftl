# The answer to a what-if question, beside the stage.

## Titles

# $nodes is a list of their names.
drain = { $count ->
    [one] What if { $nodes } is drained?
   *[other] What if { $nodes } are drained?
}
drain-more = { $more ->
   *[other] What if { $nodes } and { $more } more are drained?
}
lose-zone = What if zone { $zone } loses its power?
consolidate = Which nodes can be removed?
figures = Figures of both runs
fit = How many more pods like { $pod } fit?

## While the engine works; an ellipsis follows

counting = The scheduler places copies in a copy of the cluster
trying-changes = Changes are tried in copies of the cluster
consolidating = The emptiest nodes are drained in a copy of the cluster
running = A copy of the cluster runs
stop = Stop

## The answer

whole-zone = And the whole zone?
no-marks = The cluster is too large for marks on the stage: the table alone says where the pods would go.
figures-contents = Figures and plots
fit-contents = Nodes, and what stops the next pod
consolidate-contents = Nodes, in the order of their drains
contents = Pods, nodes and what breaks
node = Node
more-pods = More pods
stops-next = What stops the next one
# In the column "To".
to-nowhere = nowhere
# Below a list that is cut off.
more-rows = { $count ->
   *[other] and { $count } more, which the copied text has
}
# Runs the drain of the nodes in question.
drain-it = { $count ->
    [one] Drain it
   *[other] Drain them
}
copy = Copy as Markdown
copied = The answer is copied as Markdown.
cannot-copy = The browser does not allow copying here.
# $at is an instant on the clock.
as-of = As of { $at }.
tried = Tried on a copy of the cluster as of { $at }; your run has not changed.
