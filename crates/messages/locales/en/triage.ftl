# Problems in the cluster.

title = What is wrong
worst-first = What is wrong, worst first
# The tooltip of a button that selects the object.
show = Show it
# The button that opens the list.
problems = { $count ->
    [one] 1 problem
   *[other] { $count } problems
}

## The dialog

looking = Looking…
# Stands before a list of namespaces, the first two of which are all namespaces and none.
namespace = Namespace
all = all
none = none (of the cluster)
# $rows of the list stand for $objects. $time is an instant.
rows = { $rows ->
    [one] 1 row
   *[other] { $rows } rows
} of { $objects ->
   *[other] { $objects } objects
}, at { $time }
look-again = Look again
copy = Copy
copied = The list is copied as Markdown.
nothing-wrong = Nothing is wrong that the objects show.
and-more = { $count ->
   *[other] and { $count } more; Copy takes all of them
}
