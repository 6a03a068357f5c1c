# Every dialog.

close = Close
