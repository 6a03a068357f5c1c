# Clicks, menus and drags on the stage.

# Toast when the second run of a comparison is clicked.
second-run-clicked = This run only plays along, on the same clock. To look into it, open it by itself.
# Toast when a pod that only its node still runs is dropped on the bin.
nothing-to-delete = The API has forgotten it already: there is nothing left to delete. Heal the link, or power the machine off.

## Titles of menus

zone = Zone { $name }
node = Node { $name }
