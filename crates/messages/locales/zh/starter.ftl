manifest = 清单
as-it-was = 还原
apply = 应用
