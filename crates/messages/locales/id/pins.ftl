slider = Jawaban Anda: berapa lama waktunya
your-answer = jawaban Anda: { $answer }
from-here = mulai dari sini
