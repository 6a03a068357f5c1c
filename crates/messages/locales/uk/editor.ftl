editor = Редактор
editor-beside = Редактор поруч із кластером
close = Закрити редактор

begin-with = Почати з
examples = Приклади
a-pod = Pod
spread = Deployment, поширений по зонах
partition = StatefulSet і розділення мережі
priorities = Пріоритети
lesson = Заготовка уроку
paste-hint = Вставте те, що надрукувало kubectl get … -A -o yaml, або перетягніть файли.

found = Що знайдено в тексті
advice = Поради
gap = пропуск: замініть ___
nothing-to-apply = Поки що немає чого застосовувати: тут немає обʼєкта.
no-problems = Проблем немає.
refused = Сервер відмовив
and-more = і ще { $count }
time-stands = Час стоїть: натисніть «Пуск» або зробіть крок, щоб побачити, що буде далі.

check-lesson = Перевірити урок
check-lesson-hint = Відтворює розвʼязок, бездіяльність і кожен обхід та каже, що треба виправити
apply-live = Застосовувати під час введення
beside = Поруч із кластером
beside-hint = З одного боку текст, з іншого — що він робить
apply = Застосувати
apply-to-running = Застосувати до поточного кластера
start-anew = Почати з цього наново
