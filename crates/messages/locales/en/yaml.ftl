# The tab YAML of an object.

no-such-object = The API server has no such object. What runs is a process without a record.
copy = Copy
copied = Copied.
cannot-copy = The browser does not allow copying here.

## While a lesson is recorded

pick-goal = Press a field to make it a goal, with the value that it has now.
# $field - a line of YAML.
make-goal = Make a goal of it: { $field }
