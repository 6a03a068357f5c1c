# How a lesson was done, in the tooltip of its tick.

solved = done
guessed = done after a wrong prediction
hinted = done with hints
shown = done with Show me
