slider = 你的回答：要多久
your-answer = 你的回答：{ $answer }
from-here = 从这里算起
