story = 故事
close = 关闭故事
start-course = 开始课程
