# Saving the session in the browser: toasts, shown once, when the storage of the browser is full or forbidden.

storage-full = This browser keeps no more for this site: a reload would lose what happened since the last save. Save the session as a file, or share it as a link.
# The address holds the whole session.
storage-full-address-holds-all = This browser keeps no more for this site: the address keeps this run, so a reload finds it, but no list of sessions does. Save it as a file, or bookmark it.
