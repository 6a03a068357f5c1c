nothing = 从对象上看，没有任何问题

heading = { $more ->
    [0] { $object }
   *[other] { $object } 以及另外 { $more } 个
}
heading-of = { $more ->
    [0] { $object }（属于 { $owner }）
   *[other] { $object } 以及另外 { $more } 个（属于 { $owner }）
}
heading-for = { $more ->
    [0] { $object }（已持续 { $age }）
   *[other] { $object } 以及另外 { $more } 个（已持续 { $age }）
}
heading-of-for = { $more ->
    [0] { $object }（属于 { $owner }，已持续 { $age }）
   *[other] { $object } 以及另外 { $more } 个（属于 { $owner }，已持续 { $age }）
}
