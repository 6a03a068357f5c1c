key-next-step = 故事的下一步
key-step-before = 上一步
key-spotlight = 聚光灯
key-code = 此刻的二维码
key-console = 控制台
key-timeline = 时间轴
key-timer = 计时器：倒数五分钟，可加减
key-ask = 向全班放大显示问题；再按一次：结果如何
key-end = 结束

presenting = 演示
spotlight = 聚光灯
qr-code = 二维码
console = 控制台
timeline = 时间轴
timer = 计时器
end = 结束

ask-class = 向全班提问
question = 给全班的问题
what-happens = 结果如何？

minute-less = 减一分钟
minute-more = 加一分钟
time-left = 剩余时间

code = 二维码：指向此刻的链接
link-too-long = 这个链接有 { $count } 个字符；二维码最多容纳 2953 个。请以文件形式分享。
cannot-save = 浏览器不允许在这里保存。
save-code = 保存二维码
show-large = 放大显示
