from = dari { $node }
would-come = akan masuk
would-stay-pending = { $count } akan tetap Pending
