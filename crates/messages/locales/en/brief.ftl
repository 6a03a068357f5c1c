# A story of short lines, under the stage.

story = Story
close = Close the story
start-course = Start the course
