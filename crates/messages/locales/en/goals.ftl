# The list of goals of a lesson, and of conditions to keep. A word or two stand before each of them.

goals = Goals
mistake-noted = Something went wrong in this step. The replay after the exam says what.

## Goals

to-do = to do:
reached = reached:
missed = missed:

## Conditions to keep

to-keep = to keep:
kept = kept:
broken = broken:
