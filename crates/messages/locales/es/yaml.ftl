no-such-object = El servidor API no tiene ese objeto. Lo que se ejecuta es un proceso sin registro.
copy = Copiar
copied = Copiado.
cannot-copy = El navegador no permite copiar aquí.

pick-goal = Pulsa un campo para convertirlo en objetivo, con el valor que tiene ahora.
make-goal = Convertirlo en objetivo: { $field }
