# The note while a lesson is recorded.

a-lesson-is-recorded = A lesson is being recorded
recording = Recording a lesson.
# Stands after it.
about = What you do becomes its steps; refused commands are left out. For a goal, select an object and press a field of its YAML.
goals = Goals
# $goal - a goal of the lesson.
not-a-goal = Not a goal: { $goal }
save = Save the lesson
stop = Stop
