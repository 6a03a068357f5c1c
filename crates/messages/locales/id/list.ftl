separator = {", "}
