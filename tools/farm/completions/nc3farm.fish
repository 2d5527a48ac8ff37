# fish completion for nc3farm
complete -c nc3farm -n __fish_use_subcommand -x -a 'plan run status collect left work'
complete -c nc3farm -l help -d 'show the options'
complete -c nc3farm -l version -d 'print the version'
for option in verify restore recode
    complete -c nc3farm -n '__fish_seen_subcommand_from plan' -l $option
end
for option in rechunk bundle task-bytes split heartbeat
    complete -c nc3farm -n '__fish_seen_subcommand_from plan' -l $option -x
end
for option in output-dir files0-from
    complete -c nc3farm -n '__fish_seen_subcommand_from plan' -l $option -r -F
end
for option in slurm parallel wait
    complete -c nc3farm -n '__fish_seen_subcommand_from run' -l $option
end
for option in dask executor until
    complete -c nc3farm -n '__fish_seen_subcommand_from run' -l $option -x
end
complete -c nc3farm -n '__fish_seen_subcommand_from run' -s j -l jobs -x
for option in wait die-with-parent
    complete -c nc3farm -n '__fish_seen_subcommand_from work' -l $option
end
complete -c nc3farm -n '__fish_seen_subcommand_from work' -l until -x
complete -c nc3farm -n '__fish_seen_subcommand_from work' -s T -l threads -x
complete -c nc3farm -n '__fish_seen_subcommand_from status' -l json
