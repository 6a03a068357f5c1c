# Figures of two compared runs.

figures = Figures
# Names of the two lines of a plot.
this-run = this run
other-run = the other
# $resource - cpu, memory or another resource.
plot = { $resource } requested of each node, from the fullest to the emptiest
