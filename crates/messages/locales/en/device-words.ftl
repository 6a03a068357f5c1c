# Lines about the devices of a pod's claims on one node, without a full stop.

search-failed = the search for devices failed: { $error }
# $pool (String) - DRIVER/POOL.
pool-incomplete = pool { $pool } is incomplete: not all of its slices are published
pool-invalid = pool { $pool } is invalid: its slices contradict each other

## A request of a claim. It stands for $request below. $class (String) - a DeviceClass.

request = request { $request } of claim { $claim }
request-of-class = request { $request } of claim { $claim } (class { $class })

## What a request gets. $request (String) - one of the two messages above.
## $devices (String) - devices with details, two of them as in `both`. $asks, $has (Number) - devices.

gets = { $request }: gets { $devices }
passed-over = { $request }: is passed over: with { $devices }, another request would get too few devices
allocated = { $request }: already has { $devices }
allocated-elsewhere = { $request }: already has { $devices }, which this node cannot use
no-device-published = { $request }: gets nothing: no driver publishes a device for this node
# The request asks for one device.
no-device = { $request }: gets nothing: no device does
none-of = { $asks ->
   *[other] { $request }: asks for { $asks } devices, and none does
}
too-few = { $asks ->
   *[other] { $request }: asks for { $asks } devices, and only { $has } would do: { $devices }
}
none-matches = { $request }: asks for all devices that match, and none does
not-all = { $request }: asks for all devices that match, and gets nothing: not all of them can be taken
# Two devices; $one may be two devices already.
both = { $one } and { $other }
# What a request gets ($request is one of the messages above), and why other devices do not do ($why is a message of the
# group below). $request may have such reasons already.
and-unsuitable = { $request }; { $devices }: { $why }

## Details of a device

# $details (String) - list of the two messages below.
with-details = { $device } ({ $details })

# Such as: 4Gi of memory.
amount = { $amount } of { $name }
# $takes, $left (String) - amounts of a counter in a counter set.
takes = takes { $takes } of { $counter } in { $set }, { $left } left

# The names of the first devices, and how many follow. With 0 the list is complete.
devices-and-more = { $more ->
    [0] { $devices }
   *[other] { $devices } and { $more } more
}

## Why a device does not do. The device or devices stand before it with a colon.

held = held by claim { $claim }
# $pods (String) - names of $count pods.
held-for-pods = { $count ->
    [one] held by claim { $claim } of pod { $pods }
   *[other] held by claim { $claim } of pods { $pods }
}
taken = goes to request { $request } of claim { $claim }
# $index (Number) - index of the selector. $expression (String) - in CEL.
excluded-by-class = excluded by selector { $index } of class { $class }, { $expression }
excluded-by-request = excluded by selector { $index } of the request, { $expression }
class-selector-error = selector { $index } of class { $class }, { $expression }, cannot be evaluated: { $error }
request-selector-error = selector { $index } of the request, { $expression }, cannot be evaluated: { $error }
other-node = not for this node
no-such-capacity = no capacity { $name }
# $amount (String), $name (String) - such as 4Gi and memory.
capacity-policy = its policy does not allow { $amount } of { $name }
# $asks, $left (String) - amounts.
too-little = too little { $name }: { $asks } asked for, { $left } left
counter-too-low = needs { $takes } of { $counter } in { $set }, which has { $left } left
# $taint (String) - KEY=VALUE:EFFECT.
taint = taint { $taint } is not tolerated
no-attribute = no attribute { $attribute }, which a constraint compares
# $wanted (String) - the value of the other devices.
differs = { $attribute } is { $value }, and { $wanted } for the devices that it must match
repeats = { $attribute } is { $value }, as for another device from which it must differ
leaves-too-few = with it, other requests would get too few devices

## A shared counter of a counter set, such as: memory of gpu-0-counters.

counter-of-set = { $counter } of { $set }
