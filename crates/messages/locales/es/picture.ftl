broken = Rota en el minuto { $time } por { $cause }: { $violation }.

cause-command = comando
cause-fault = fallo
cause-bug = error de Podscope
