skip-to = Далі:
