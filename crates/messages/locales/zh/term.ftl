all-terms = 所有术语
