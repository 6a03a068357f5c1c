# The panel at the right: details of the selection.

details = Details
close = Close the details
close-hint = Close (Esc)
legend = Legend
close-legend = Close the legend

## Tabs

why-here = Why here?
life = Life
events = Events
yaml = YAML
hidden-answer = Shown once you have answered.
no-events = No events.

## Actions

what-can-be-done = What can be done
what-if-it-goes = What if it goes?
how-many-more-fit = How many more fit?
