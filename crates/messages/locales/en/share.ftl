# The dialog "Share": a link, a frame for another page, a picture, a film of a span; and presenting on this page.

title = Share
# Name of the group of buttons: link, frame, picture, film.
what = What to share
link = Link
frame = Frame
picture = Picture
# Also the name of the progress bar while the film is made.
film = Film
present = Present it here
present-hint = Large type; the cluster, the story and the clock alone (Shift + P)
making-link = Making a link…
# Label of the checkbox that replaces the names of objects.
rename = Rename objects first: nobody learns your names
save-names = Save the names
# app-17 is an example of a new name.
save-names-hint = It stays with you: with it an answer about app-17 can be read back

## Link and frame

link-copied = The link is copied.
frame-copied = The frame is copied.
cannot-copy = The browser does not allow copying here: mark the text and copy it.
# $count (String) - length of the link, with separators; $number is the same as a number.
characters = { $number ->
   *[other] { $count } characters
}
save-file = Save as a file
copy = Copy
opens-the-same = It opens the same at its beginning, with the same seed.
holds-everything = It holds everything: scenario, seed { $seed }, what was done and when, the instant, what is selected. Nothing is stored anywhere else.
qr-code = QR code

## Frame

frame-hint = A frame for a page of yours. It runs there by itself, and leaves what its visitors have kept alone.
# Heading above the checkboxes of the parts of the page that the frame shows.
parts = Parts
part-story = Story
part-cluster = Cluster
part-timeline = Timeline
part-details = Details
part-console = Console
# Before a list of widths and heights.
size = Size
# Before a list: the visitor's, light, dark.
theme = Theme
theme-visitor = the visitor's
theme-light = light
theme-dark = dark
preview = Preview
end-preview = End the preview
preview-title = Preview of the frame

## Picture

picture-hint = The cluster at this instant, as a drawing that stays sharp or as pixels.
save-svg = Save as SVG
save-png = Save as PNG

## Film

film-hint = A short film of what was played: an animated drawing for a slide, a page or a chat. It plays in every browser, again and again.
# The three are one sentence with fields between them: From [0:10] to [1:30] in [10 s].
film-from = From
film-to = to
film-in = in
film-length = Length of the film
make-film = Make the film
making-film = Making the film…
# $end is an instant on the clock.
played-until = What was played ends at { $end }.
end-before-beginning = A film's end lies after its beginning.
# Description of the film for who does not see it.
the-film = The film
recording = Recording: it takes as long as the film.
save-video = Save as video
save-video-hint = WebM, or MP4 where the browser has only that
save-film = Save the film
cannot-save-film = The film could not be saved
cannot-record = This browser records no video: save the film.
