no-effect = { $field } tidak berpengaruh di sini
signal-without-effect = sinyal pengusiran { $signal } tidak berpengaruh di sini
read-as = { $version } dibaca sebagai { $served }
no-preemption = disablePreemption: true menjadi profil tanpa DefaultPreemption
default-plugins = algorithmSource DefaultProvider menjadi plugin bawaan
extenders = extender adalah proses lain: di sini hanya divalidasi, tidak ditanya
