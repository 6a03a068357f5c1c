name = Pod Pending
name-other-run = Pod Pending, simulasi yang lain
hidden = yang ditunggunya disembunyikan sampai Anda menjawab
pending = { $count } Pending:
pending-heading = Pending { $count }
what-would-help = Apa yang akan membantu?

pods-of-cause = { $count } Pod: { $cause }
found-pods-of-cause = { $found } dari { $count } Pod: { $cause }
most-frequent-cause = { $count } dari { $all }: { $cause }
more-pods = dan { $count } Pod lagi karena sebab lain
show-fewer = Lebih sedikit
show-fewer-causes = Lebih sedikit sebab
