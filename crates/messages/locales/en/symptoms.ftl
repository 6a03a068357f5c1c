# Symptoms that users see in a cluster, by which lessons are found. Each is a button; pressed, its text is searched for.
#
# `…-also` is not shown: it holds other words, in small letters, that find the same lessons. Error messages and fields of
# Kubernetes stay in English there, beside the words of the language.

pending = My pod is Pending
pending-also = unschedulable fits nowhere failedscheduling insufficient cpu memory untolerated taint stuck wont start schedule
restarts = It restarts again and again
restarts-also = crash loop crashloopbackoff restart backoff wont start exit code dies
terminating = It hangs in Terminating
terminating-also = stuck delete finalizer grace sigterm sigkill 137 143 killed exit code
drain = The drain does not end
drain-also = drain evict eviction upgrade pdb budget
not-ready = A node is NotReady
not-ready-also = unreachable lost node down kubelet partition network
twice = It runs twice
twice-also = two at once split brain duplicate same name double corrupt data
evicted = It was evicted
evicted-also = evicted memory pressure oom oomkilled disk node-pressure killed sigkill 137
spread = The pods are not spread evenly
spread-also = skew uneven unbalanced all on one node same zone
rollout = The rollout does not go on
rollout-also = imagepullbackoff image rollout stuck progress deadline update
gpu = It does not get its GPU
gpu-also = cannot allocate all claims device resourceclaim nvidia insufficient pending preemption

# Words that occur in most complaints and say nothing about them: a search ignores them. Small letters, single spaces.
filler-words = a an and are be do does doesn go how i in is isn it its my not of on pod pods the they to was what when why with
