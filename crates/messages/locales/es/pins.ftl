slider = Tu respuesta: cuánto tarda
your-answer = tu respuesta: { $answer }
from-here = a partir de aquí
