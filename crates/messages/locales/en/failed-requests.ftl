# Requests to a Service that failed: how many, why, and what the client's node believed. Without a full stop.

# Heading of the inspector. $service (String) - name of the Service.
title = Requests to { $service }

## The parts of the sentence. $requests (String) - `refused` to `other`. $why (String) - a message of the groups below.

failed = { $requests }: { $why }
# $time (String) - a duration.
failed-for = { $requests }: { $why }, for { $time }
# $failed (String) - one of the two messages above. $since (String) - an instant.
believed = { $failed }; { $node } listed it as an endpoint since { $since }
believed-unaware = { $failed }; { $node } listed it as an endpoint since { $since }, and had not heard of the change

## How requests failed

refused = { $count ->
    [one] { $count } request refused
   *[other] { $count } requests refused
}
reset = { $count ->
    [one] { $count } request cut off
   *[other] { $count } requests cut off
}
timeout = { $count ->
    [one] { $count } request timed out
   *[other] { $count } requests timed out
}
error = { $count ->
    [one] { $count } request answered with an error
   *[other] { $count } requests answered with an error
}
# $outcome (String) - a word of the trace.
other = { $count ->
    [one] { $count } request { $outcome }
   *[other] { $count } requests { $outcome }
}

## Why, if the client's node chose an endpoint. $ago (String) - a duration before the last failure.

starting = { $node } sent to { $pod }, which runs but did not listen yet
not-running = { $node } sent to { $pod }, which had stopped
not-running-since = { $node } sent to { $pod }, which had stopped { $ago } before
not-running-up-to = { $node } sent to { $pod }, which had stopped up to { $ago } before
listener-closed = { $node } sent to { $pod }, which had closed its listener
listener-closed-since = { $node } sent to { $pod }, which had closed its listener { $ago } before
listener-closed-up-to = { $node } sent to { $pod }, which had closed its listener up to { $ago } before
process-ended = { $node } sent to { $pod }, which ended with the requests inside
pod-gone = { $node } sent to { $pod }, which is gone from its node
pod-without-power = { $node } sent to { $pod }, which is on a machine without power
pod-cut-off = { $node } sent to { $pod }, which is behind a link that is cut
server-error = { $node } sent to { $pod }, which answers with errors
server-slow = { $node } sent to { $pod }, which answers later than the client waits

## Why, if it chose none

no-service = there is no Service { $service }
no-name = { $node } cannot reach the cluster's DNS
no-rules = { $node } has no rules for { $service }
no-endpoints = { $node } knows no endpoint of { $service }
no-local-endpoints = { $service } is for endpoints on the same node, and { $node } has none
no-power = { $node } has no power
cut-off = { $node } cannot be reached

## A duration that stands for $ago or $time

a-moment = less than 0.1 s
