stopped = Mesin simulasi dihentikan. Inilah sesi menurut simpanan terakhirnya.
