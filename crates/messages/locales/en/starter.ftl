# A manifest of a lesson that the user completes.

manifest = Manifest
as-it-was = As it was
apply = Apply
