# A term of the glossary in a lesson.

all-terms = All terms
