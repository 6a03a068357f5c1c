# The alarm for a broken guarantee.

close = I have read it: close
ways-back = Ways back
# $count (Number) - running processes of one pod, of which there should be at most one.
processes-of-one-name = { $count ->
   *[other] { $count } processes, 1 name
}
# $cause - what broke the guarantee.
broken-by = broken by { $cause }
was-broken-by = was broken for { $duration } by { $cause }
