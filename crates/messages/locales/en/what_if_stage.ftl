# What the stage shows of the answer to a what-if question.

## Pods

would-go = { $pod } would go to { $node }
would-stay = { $pod } would stay Pending
# After one of the two messages above and ", ".
now-on = now on { $node }

## Nodes, in the header of the card; the short words stand in a narrow one

drained-short = drained
drained = would be drained
off-short = off
off = would lose power
would-come = { $count ->
   *[other] { $count } would come
}
can-go = removable
more-fit = { $count ->
    [0] no more fit
    [one] 1 more fits
   *[other] { $count } more fit
}
