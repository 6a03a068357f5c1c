takes-it = { $group }: satu Node lagi bisa menerimanya
would-take-it = { $group }: { $reasons }; seandainya bertambah, satu Node lagi bisa menerimanya
does-not-help = { $group }: { $reasons }
event = event: { $message }
fits-on = muat di { $nodes }: tidak ada kelompok yang perlu bertambah
fits-on-more = muat di { $nodes } dan { $more } lagi: tidak ada kelompok yang perlu bertambah

none-helps = Tidak ada kelompok Node yang membantu; kata cluster autoscaler: { $message }
one-helps = Satu Node lagi dari kelompok Node { $group }
several-help = Satu Node lagi dari salah satu kelompok Node: { $groups }
