# Short words in a corner that come and go.

new-version = A new version is ready.
reload = Reload into it
starting = Starting the cluster… What you press waits for it.
close = Close
