# Why a container was restarted, or not (container restart rules).
rule = restartPolicyRules[{ $index }] ({ $action })
rule-of-codes = restartPolicyRules[{ $index }] ({ $action }, exit code { $operator } [{ $values }])
starts-all = starts all containers of the pod anew
starts-again = starts it again
leaves-ended = leaves it ended
by-rule = exit code { $code }: { $rule } { $outcome }
by-policy-without-rule = exit code { $code }: no rule matches; its own restartPolicy { $policy } { $outcome }
by-own-policy = exit code { $code }: its own restartPolicy { $policy } { $outcome }
by-policy = exit code { $code }: the pod's restartPolicy { $policy } { $outcome }
rule-of-container = { $container }'s { $rule }
either = { $one } or { $other }
all-by-rules = all containers of the pod begin anew, by { $rules }
