# fish completion for nc3view
complete -c nc3view -s h -l help -d 'show the options'
complete -c nc3view -s b -l bind -x -d 'listen at this address'
complete -c nc3view -s n -l no-browser -d 'only print the address'
complete -c nc3view -s p -l port -x -d 'listen at this port'
complete -c nc3view -l page -r -F -d 'the page'
complete -c nc3view -l version -d 'print the version'
