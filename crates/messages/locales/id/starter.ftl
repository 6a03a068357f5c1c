manifest = Manifes
as-it-was = Seperti semula
apply = Terapkan
