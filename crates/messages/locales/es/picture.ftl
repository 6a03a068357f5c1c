broken = Rota en { $time } por { $cause }: { $violation }.

cause-command = comando
cause-fault = fallo
cause-bug = error de Podscope
