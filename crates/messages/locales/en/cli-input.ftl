# What the command line says about the files that it has read (cli/src/args.rs).

# $version (String) - of the newest of the older kubelets, such as v1.30.2. $rules (String) - of Kubernetes, such as v1.36.3.
older-kubelets = The nodes' kubelets are of { $version }; everything is explained by the rules of { $rules }
