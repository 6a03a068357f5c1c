no-effect = { $field } тут не діє
signal-without-effect = сигнал виселення { $signal } тут не діє
read-as = { $version } прочитано як { $served }
no-preemption = disablePreemption: true стало профілем без DefaultPreemption
default-plugins = algorithmSource DefaultProvider став типовим набором втулків
extenders = extenders — це окремі процеси: їхні налаштування перевірено, але їх самих тут не питають
