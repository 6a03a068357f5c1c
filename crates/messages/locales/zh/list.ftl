separator = {"、"}
