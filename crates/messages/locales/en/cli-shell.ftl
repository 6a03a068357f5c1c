# The prompt of `podscope shell` (cli/src/shell.rs).

# Names in backticks are commands.
welcome = Time stands still at the prompt: `wait 30s` and `until 2m` move it. `help` says what there is; Ctrl-D ends.
