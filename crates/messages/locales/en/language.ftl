# The choice of the language.

language = Language
# The language's own name.
name = English
# $code (String) - code of the language, such as uk.
cannot-load = The language { $code } cannot be loaded. Is there a network?
# Shown in a lesson that lacks some translations.
lesson-is-partly-english = Parts of this lesson are not translated yet: they are shown in English.
