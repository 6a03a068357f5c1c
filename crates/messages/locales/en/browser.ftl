# Why a scenario of this site, which the address names, is not opened: toasts.

not-loaded = The scenario that the address names cannot be loaded.
# $status - a number: 404.
not-loaded-status = The scenario that the address names cannot be loaded: the server says { $status }.
not-of-this-site = The scenario that the address names is not a file of this site.
# $bytes (Number)
too-long = { $bytes ->
   *[other] The scenario that the address names is longer than { $bytes } bytes.
}
not-text = The scenario that the address names is not text.
