not-loaded = 无法加载网址所指的场景。
not-loaded-status = 无法加载网址所指的场景：服务器返回 { $status }。
not-of-this-site = 网址所指的场景不是本站的文件。
too-long = 网址所指的场景超过 { $bytes } 字节。
not-text = 网址所指的场景不是文本。
