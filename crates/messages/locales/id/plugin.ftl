other-refused = tidak cocok karena sebab lain

balanced-allocation-about = cpu dan memori dipakai lebih seimbang

default-binder-about = mengikat Pod ke Node-nya

default-preemption-about = tempat dikosongkan dengan mengakhiri Pod berprioritas lebih rendah

dynamic-resources-about = klaim atas perangkat
dynamic-resources-refused = tanpa perangkat yang diminta klaimnya
dynamic-resources-no-free-devices = tidak ada perangkat bebas
dynamic-resources-claim-is-elsewhere = klaim ada di tempat lain

image-locality-about = image yang sudah ada di Node

inter-pod-affinity-about = dekat atau jauh dari Pod lain
inter-pod-affinity-refused = melanggar aturan afinitas antar-Pod
inter-pod-affinity-pod-affinity = afinitas Pod
inter-pod-affinity-pod-anti-affinity = anti-afinitas Pod
inter-pod-affinity-another-pod-s-anti-affinity = anti-afinitas Pod lain

node-affinity-about = nodeSelector dan afinitas Node
node-affinity-refused = tidak memenuhi selektor atau afinitas Node-nya
node-affinity-node-affinity-selector = afinitas/selektor Node
node-affinity-the-scheduler-s-node-affinity = afinitas Node milik penjadwal

node-declared-features-about = fitur kubelet yang lebih baru
node-declared-features-refused = tanpa fitur kubelet lebih baru yang diperlukannya

node-name-about = Node yang diminta dengan nama
node-name-another-node-is-named = Node lain yang disebut

node-ports-about = port Node
node-ports-refused = sudah memakai port-nya
node-ports-port-in-use = port sedang dipakai

node-resources-fit-about = tempat untuk request Pod
node-resources-fit-refused = terlalu penuh untuk request-nya

node-unschedulable-about = Node yang di-cordon
node-unschedulable-refused = di-cordon
node-unschedulable-unschedulable = unschedulable

node-volume-limits-about = berapa volume yang bisa dipasang di sebuah Node
node-volume-limits-too-many-volumes = terlalu banyak volume

pod-topology-spread-about = Pod tersebar di domain-domain
pod-topology-spread-refused = melanggar batasan persebarannya
pod-topology-spread-topology-spread = persebaran topologi
pod-topology-spread-no-label-to-spread-by = tanpa label untuk persebaran

priority-sort-about = prioritas lebih tinggi lebih dulu

scheduling-gates-about = Pod yang punya gerbang menunggu

taint-toleration-about = taint dan toleransi
taint-toleration-refused = tertutup baginya oleh sebuah taint
taint-toleration-untolerated-taint = taint tidak ditoleransi

volume-binding-about = volume yang bisa dijangkau Node
volume-binding-its-volume-is-elsewhere = volumenya ada di tempat lain
volume-binding-no-volume-to-bind = tidak ada volume untuk diikat
volume-binding-no-free-storage = tidak ada penyimpanan bebas
volume-binding-its-volume-is-lost = volumenya hilang
volume-binding-unbound-claims = klaim belum terikat

volume-restrictions-about = volume yang hanya boleh dipakai satu Pod
volume-restrictions-disk-in-use = disk sedang dipakai
volume-restrictions-claim-in-use = klaim sedang dipakai

volume-zone-about = volume dan Node dalam satu zona
volume-zone-its-volume-s-zone-is-elsewhere = volumenya di zona lain

volumes-cannot-serve = tidak bisa melayani volumenya
