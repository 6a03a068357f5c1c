title = Yang memberi tempat untuk { $count }
none = Tidak satu pun yang dicoba: uncordon Node, label, taint, dan tambahan Node dari jenis yang ada.
ask = Beri tempat untuk
ask-end = salinan
find = Apa yang bisa?
fits-then = lalu { $count } muat
do-it = Lakukan
