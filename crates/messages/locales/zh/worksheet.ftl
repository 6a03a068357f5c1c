print = 打印
about-pages = 每个问题之后都另起一页，因为下一页会说出结果。答案单独成页。
name = 姓名：______________________________
start-over = 要得到集群的图，请重新开始：现在的图会透露第一个答案。
cluster = 集群
try-command = 试一试：
after = 经过 ____________
qr-code = 打开 { $address } 的二维码

answers = 答案
other-answers = 其他回答
rule = 规则：
