notes = 说明
