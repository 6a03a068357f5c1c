# Hints for beginners about the messages of the API server and of the YAML parser.

## Syntax of YAML

second-map = This colon makes a second map on the line: put the text in quotes, or indent the line like the one above.
key-needed = A key is needed here: begin the line at the column of the other keys of its map.
item-needed = An item is needed here: begin the line with a - at the column of the other items of its list.
map-open = A comma or a { "}" } is needed before this: a map in braces is still open.
list-open = A comma or a ] is needed before this: a list in brackets is still open.
value-needed = A value is needed here.
colon-needed = A colon and a space are needed after this key.
quote-needed = The quote that opens here is needed once more, at the end of the text.
no-tabs = Spaces are needed here: YAML is never indented with tabs.
wrong-start = Spaces or quotes are needed here: a line is not indented with tabs, and no plain text begins with @ or `.

## Fields

unknown-field = No such field here: look at its spelling, and at how far its line is indented.
required = This field has to be there.
no-quantity = A quantity is a number with a unit: 500m, 2, 128Mi, 1Gi.
selector = The selector finds its pods by their labels: the template needs the same ones.
no-name = Small letters, digits and -, with a letter or digit at both ends.
unsupported = Only the values listed there are known; capitals count.
unserved = kind and apiVersion belong together: look at both.
no-text = This field wants text: put the value in quotes.
other-type = This field wants a value of another kind: a number without quotes, true or false, a list or a map.
duplicate = Something of this name is there already: names in one list differ.

## Gaps (`___`) of a manifest that the reader fills

# $count (Number) - how many gaps are left, 1 or more.
gaps-left = { $count ->
    [one] 1 gap is left: replace the ___
   *[other] { $count } gaps are left: replace each ___
}
