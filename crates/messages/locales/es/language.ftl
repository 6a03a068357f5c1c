language = Idioma
name = Español
cannot-load = No se puede cargar el idioma { $code }. ¿Hay conexión de red?
lesson-is-partly-english = Algunas partes de esta lección aún no están traducidas: se muestran en inglés.
