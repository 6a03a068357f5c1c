exam = { $minutes ->
    [one] іспит: { $minutes } хвилина, щоб скласти, потрібно { $pass } % балів
    [few] іспит: { $minutes } хвилини, щоб скласти, потрібно { $pass } % балів
    [many] іспит: { $minutes } хвилин, щоб скласти, потрібно { $pass } % балів
   *[other] іспит: { $minutes } хвилини, щоб скласти, потрібно { $pass } % балів
}
of-site = { $path } (із сайту)
own-lesson = власний урок курсу
practice = практика { $family }, зерно { $seed }, рівень { $level }
weighted = { $item }, вага { $weight }
