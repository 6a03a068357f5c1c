no-effect = { $field } no tiene efecto aquí
signal-without-effect = la señal de desalojo { $signal } no tiene efecto aquí
read-as = { $version } se ha leído como { $served }
no-preemption = disablePreemption: true se ha convertido en un perfil sin DefaultPreemption
default-plugins = algorithmSource DefaultProvider se ha convertido en los plugins por defecto
extenders = los extenders son otros procesos: se comprueba su configuración, pero aquí no se les pregunta
