#compdef nc3farm
_nc3farm() {
	if ((CURRENT == 2)); then
		_arguments '--help' '--version' \
			'1:command:(plan run status collect left work)'
		return
	fi
	case $words[2] in
	plan) _arguments --verify --restore --recode '--rechunk=:SPEC' \
		'--bundle=:SIZE' '--output-dir=:DIR:_files -/' \
		'--files0-from=:FILE:_files' '--task-bytes=:SIZE' \
		'--split=:SIZE' '--heartbeat=:SECONDS' --help '*:PATH:_files' ;;
	run) _arguments --slurm '--dask=:ADDRESS' --parallel \
		'--executor=:MODULE\:CLASS' '-j:N' '--jobs=:N' \
		'--until=:SECONDS' --wait --help '*:WORK:_files -/' ;;
	work) _arguments --wait --die-with-parent '--until=:SECONDS' '-T:N' \
		'--threads=:N' --help '*:WORK:_files -/' ;;
	status) _arguments --json --help '*:WORK:_files -/' ;;
	*) _arguments --help '*:WORK:_files -/' ;;
	esac
}
_nc3farm "$@"
