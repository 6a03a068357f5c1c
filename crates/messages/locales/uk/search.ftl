title = Знайти прогін, що порушує гарантію
intro = У кожному прогоні інші збої та час спокою після них, як каже `spec.search` сценарію. Ваш власний прогін не змінюється.
runs = Прогонів
from-seed = починаючи із зерна
stop = Зупинити
search = Шукати
tried-runs = Випробувані прогони
tried = Випробувано { $tried } з { $runs ->
        [one] { $runs } прогону
       *[other] { $runs } прогонів
    }, { $broken ->
        [0] жодної гарантії не порушено
        [one] { $broken } порушив гарантію
        [few] { $broken } порушили гарантію
        [many] { $broken } порушили гарантію
       *[other] { $broken } порушили гарантію
    }.
tried-and-shrinks = Випробувано { $tried } з { $runs ->
        [one] { $runs } прогону
       *[other] { $runs } прогонів
    }, { $broken ->
        [0] жодної гарантії не порушено
        [one] { $broken } порушив гарантію
        [few] { $broken } порушили гарантію
        [many] { $broken } порушили гарантію
       *[other] { $broken } порушили гарантію
    }; шукається найкоротший…
guarantee = Гарантія
runs-that-break = Прогони, що її порушують

shortest = Найкоротший прогін
shortest-broke = { $guarantee }: порушено о { $at } із зерном { $seed }:
shortest-broke-end = .
by = Через:
open-run = Відкрити цей прогін
