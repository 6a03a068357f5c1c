slider = Ваша відповідь: скільки часу це триває
your-answer = ваша відповідь: { $answer }
from-here = звідси й далі
