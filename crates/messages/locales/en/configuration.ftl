# Notices about a KubeletConfiguration or KubeSchedulerConfiguration, without a full stop. Names of fields stay as they are.

# $field - a field or an eviction signal of the kubelet that the simulation ignores.
no-effect = { $field } has no effect here
signal-without-effect = eviction signal { $signal } has no effect here
# $version, $served - versions of the API.
read-as = { $version } was read as { $served }
no-preemption = disablePreemption: true became a profile without DefaultPreemption
default-plugins = algorithmSource DefaultProvider became the default plugins
extenders = extenders are other processes: they are validated, and not asked here
