all-terms = Усі терміни
