takes-it = { $group }: ще один вузол прийме його
would-take-it = { $group }: { $reasons }; ще один вузол прийняв би його
does-not-help = { $group }: { $reasons }
event = подія: { $message }
fits-on = уміщається на { $nodes }: жодній групі не треба рости
fits-on-more = уміщається на { $nodes } і ще { $more }: жодній групі не треба рости

none-helps = Жодна група вузлів не допоможе; автомасштабувальник кластера сказав би: { $message }
one-helps = Ще один вузол групи { $group }
several-help = Ще один вузол однієї з груп: { $groups }
