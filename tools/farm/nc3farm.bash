# bash completion for nc3farm
_nc3farm() {
	local word=${COMP_WORDS[COMP_CWORD]} words
	case ${COMP_WORDS[1]} in
	plan) words='--verify --restore --recode --rechunk= --bundle=
		--output-dir= --files0-from= --task-bytes= --split=
		--heartbeat= --help' ;;
	run) words='--slurm --dask= --parallel --executor= -j --jobs= --until=
		--wait --help' ;;
	work) words='--wait --die-with-parent --until= -T --threads= --help' ;;
	status) words='--json --help' ;;
	collect | left) words=--help ;;
	*) words='--help --version' ;;
	esac
	if ((COMP_CWORD == 1)) && [[ $word != -* ]]; then
		mapfile -t COMPREPLY < <(compgen -W \
			'plan run status collect left work' -- "$word")
	elif [[ $word == -* ]]; then
		mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
	else
		mapfile -t COMPREPLY < <(compgen -f -- "$word")
	fi
}
complete -o filenames -F _nc3farm nc3farm
