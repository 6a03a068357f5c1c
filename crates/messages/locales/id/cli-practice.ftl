task = { $title } (seed { $seed }, tingkat { $level })

right = Benar. { $why }
wrong = Salah. { $why }
right-answer = Jawaban yang benar adalah { $answer }. { $why }
rule = Aturannya: { $rule }

next = Berikutnya (menurut SM-2):
level = tingkat { $level }
due = { $days ->
    [0] hari ini
    [1] besok
   *[other] { $days } hari lagi
}
