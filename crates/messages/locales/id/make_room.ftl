title = Cara memberi tempat untuk { $count }
none = Tidak ada cara yang berhasil. Yang dicoba: uncordon Node, label, taint, dan tambahan Node dari jenis yang ada.
ask = Beri tempat untuk
ask-end = salinan
find = Apa caranya?
fits-then = lalu { $count } muat
do-it = Lakukan
