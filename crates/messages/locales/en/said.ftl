# The note about what was opened.

about-opening = About what is being opened
# A large dump has been read, and its problems are known.
still-opening = { $count ->
    [one] 1 problem. The cluster is still being opened.
   *[other] { $count } problems. The cluster is still being opened.
}
about-opened = About what was opened
# The button that opens the list of all notices. $count is their number.
all-notices = { $count ->
   *[other] all { $count }
}
read = I have read it
