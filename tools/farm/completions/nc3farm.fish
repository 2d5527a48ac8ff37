# fish completion for nc3farm
complete -c nc3farm -n __fish_use_subcommand -x -a 'plan run work left status collect'
complete -c nc3farm -l help -d 'show the options'
complete -c nc3farm -l version -d 'print the version'
for option in verify restore convert
    complete -c nc3farm -n '__fish_seen_subcommand_from plan' -l $option
end
for option in bundle task-bytes
    complete -c nc3farm -n '__fish_seen_subcommand_from plan' -l $option -x
end
for option in output-dir files0-from after
    complete -c nc3farm -n '__fish_seen_subcommand_from plan' -l $option -r -F
end
complete -c nc3farm -n '__fish_seen_subcommand_from run work' -l until -x
complete -c nc3farm -n '__fish_seen_subcommand_from run' -s j -l jobs -x
complete -c nc3farm -n '__fish_seen_subcommand_from work' -s T -l threads -x
complete -c nc3farm -n '__fish_seen_subcommand_from left' -l array
complete -c nc3farm -n '__fish_seen_subcommand_from status' -l json
complete -c nc3farm -n '__fish_seen_subcommand_from collect' -l read
