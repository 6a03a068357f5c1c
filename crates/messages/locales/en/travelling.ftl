# Messages between the processes of the cluster, as dots that travel along their wires.

# Where the person prefers reduced motion: messages are counted.
messages = { $count ->
    [one] 1 message
   *[other] { $count } messages
}
more-than-dots = more messages than dots
