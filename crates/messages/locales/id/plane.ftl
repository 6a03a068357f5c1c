control-plane = Control plane
control-plane-other-run = Control plane, simulasi yang lain
api-server = Server API
api-short = API
scheduler-short = sched
controllers-short = control
attacher-short = attach
fencing-short = fencing
action-on = { $component }: { $action }

leader = (pemimpin)
standby = (siaga)
down = (mati)
unreachable = (tidak terjangkau)

broken = { $guarantee } dilanggar
was-broken = { $guarantee } pernah dilanggar
since = pada { $instant }
since-for = pada { $instant } selama { $duration }
guarantees-broken = jaminan dilanggar
guarantees-were-broken = jaminan pernah dilanggar
heal-everything = Pulihkan semuanya
heal-everything-hint = Hilangkan semua pemutusan pada { $count } Node

what-is-drawn = Yang digambar
whose-picture = Sudut pandang
api = API
api-hint = Hanya apa yang dipercaya Server API
both = keduanya
both-hint = Apa yang dipercaya Server API, dan di mana mesin berbeda
machine = mesin
machine-hint = Hanya apa yang benar-benar berjalan
group-by = Kelompokkan Node menurut
group-by-label = Kelompokkan Node menurut label
zone = zona
zone-by-topology = zona (topology…)
zone-by-label = zone (label)
key-of-constraint = { $key } (batasannya)
