pending = очікує
starting = запускається, { $status }
running-ready = працює і готовий
running-not-ready = працює, не готовий
terminating = завершується
terminating-unobserved = завершується, kubelet ще не знає; kubelet про це ще не чув
terminating-unreachable = завершується, kubelet ще не знає; kubelet не може про це почути: ніхто не знає, коли він завершиться
terminating-prestop = завершується, виконується його хук preStop; SIGTERM — коли хук preStop закінчиться або мине період належного завершення
terminating-turn = завершується, чекає своєї черги: його зупинять, коли завершаться інші контейнери
terminating-sigterm = завершується, SIGTERM надіслано; SIGKILL — коли мине період належного завершення, якщо він не завершиться раніше
terminating-killed = завершується, SIGKILL надіслано; процес завершується, потім kubelet прибирає Pod
crashing = падає, чекає перед наступним запуском
succeeded = завершився успішно
failed = завершився невдало, { $status }
ghost = процес, про який API забув
unconfirmed = працює, наскільки знає API; ніхто не може цього підтвердити

name = Pod { $pod }, { $state }
of-owner = власник { $owner }
priority = пріоритет { $priority }

differs = в іншому прогоні не так
