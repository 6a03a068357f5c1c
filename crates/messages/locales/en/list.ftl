# Between the entries of a list in a sentence.
separator = {", "}
