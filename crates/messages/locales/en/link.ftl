# Why a share link cannot be opened, without a full stop.

# $form, $known - the beginnings of a link: `s2:`, `s1:`.
newer = this link was made by a newer Podscope, in its form { $form }: this one reads { $known }. Reload the page, or install the latest version
no-link = this is not a link of Podscope: it has no s1: in it
too-long = { $limit ->
   *[other] this link is longer than { $limit } characters
}
damaged-character = this link is damaged: a character is missing or wrong
unfolds-too-far = { $limit ->
   *[other] this link unfolds to more than { $limit } bytes
}
damaged-part = this link is damaged: part of it is missing
no-session = this link is damaged: its content is not a session
too-many-commands = { $limit ->
   *[other] this link holds more than { $limit } commands
}
too-many-branches = { $limit ->
   *[other] this link holds more than { $limit } branches, or too many commands on one
}
no-scenario = this link holds no scenario
