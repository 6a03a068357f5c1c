# The chain of causes of the selection.

what-led-here = What led here
left-out = Earlier records are left out.
