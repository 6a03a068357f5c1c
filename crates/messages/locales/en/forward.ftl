# The forward button.

# Stands before what comes next; hidden where the button is narrow.
skip-to = Skip to
