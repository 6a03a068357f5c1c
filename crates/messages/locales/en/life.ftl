# The tab "Life" of the selection.

## Containers

containers = Containers
ready = ready
not-ready = not ready
restarts = { $count ->
    [one] { $count } restart
   *[other] { $count } restarts
}
# Whose picture the line is: what the API server says, what runs on the machine, and the rule for restarts.
api = API
machine = machine
rule = rule
no-process = no process
# Roles of containers.
init = init
sidecar = sidecar

## Other parts

conditions = Conditions
owned-by = Owned by
volumes = Volumes
termination = Termination
# $stage - "preStop", "sigterm" or "killed". $from, $to - times of the clock.
stage-from-to = { $stage } { $from } to { $to }
stage-until-now = { $stage } { $from } to now
