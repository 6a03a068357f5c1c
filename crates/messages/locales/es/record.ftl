a-lesson-is-recorded = Se está grabando una lección
recording = Grabando una lección.
about = Lo que haces se convierte en sus pasos; los comandos rechazados se omiten. Para un objetivo, selecciona un objeto y pulsa un campo de su YAML.
goals = Objetivos
not-a-goal = No es un objetivo: { $goal }
save = Guardar la lección
stop = Detener
