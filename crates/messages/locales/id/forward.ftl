skip-to = Lompat ke
