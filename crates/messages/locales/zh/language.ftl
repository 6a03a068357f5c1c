language = 语言
name = 中文
cannot-load = 无法加载语言 { $code }。网络是否可用？
lesson-is-partly-english = 本课有些部分还没有翻译：这些部分以英文显示。
