title = Більше

time = Час
next-event = Наступна подія
next-decision = Наступне рішення
back-to-mark = Назад до попередньої позначки
back-to-start = Назад до початку
branch = Гілка: зберегти це майбутнє і продовжити звідси

page = Сторінка
find = Знайти Podʼи та вузли
legend = Легенда: що означають позначки
console = Консоль
editor = Редактор
files = Файли
consolidate = Які вузли можна прибрати?
search = Знайти прогін, що порушує гарантію
triage = Що не так
notices = Про відкрите ({ $count })
guarantees = Гарантії
worksheet = Аркуш: цей урок на папері
class = Клас: здані прогони
present = Показати аудиторії
theme = { $theme ->
    [light] Тема: світла
    [dark] Тема: темна
   *[other] Тема: системна
}
help = Довідка та клавіші
