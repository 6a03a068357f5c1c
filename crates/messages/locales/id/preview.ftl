from = dari { $node }
would-come = akan datang
would-stay-pending = { $count } akan tetap Pending
