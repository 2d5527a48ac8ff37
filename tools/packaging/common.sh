# shellcheck shell=bash
#
# What the scripts for packages share; they source it with "root" set.

# The one version, of the header; and when it was made, for all times in packages.
version=$(sed -n 's/^#define NC3Z_VERSION "\(.*\)"$/\1/p' "$root/lib/nc3z.h")
date=$(sed -n 's/^\.TH NC3Z 7 "\([0-9-]*\)".*/\1/p' "$root/tools/man/nc3z.7")
SOURCE_DATE_EPOCH=$(date -u -d "$date" +%s)
export SOURCE_DATE_EPOCH

die()
{
	echo "${0##*/}: $*" >&2
	exit 1
}

# source_files: the files of the project, those that are not committed, too;
# where there is no git, as in a release, all but those of builds.
source_files()
{
	if git -C "$root" rev-parse --git-dir >/dev/null 2>&1; then
		git -C "$root" ls-files -z --cached --others --exclude-standard |
			(cd "$root" && xargs -0 sh -c 'for file; do
				[ ! -f "$file" ] || printf "%s\0" "$file"
			done' sh)
	else
		(cd "$root" && find . -path './build*' -prune -o -type f -print0 |
			sed -z 's|^\./||')
	fi | sort -z -u
}

# make_tar FILE DIRECTORY: as source_files says, below a directory of its own.
make_tar()
{
	source_files | tar -C "$root" --null --no-recursion --files-from=- \
		--transform="s|^|$2/|" "${tar_options[@]}" -cf - | xz -T1 >"$1"
}

# The same bytes wherever and whenever a tarball is made.
tar_options=(--sort=name --owner=0 --group=0 --numeric-owner
	"--mtime=@$SOURCE_DATE_EPOCH" "--mode=u+rwX,go=rX"
	--format=posix --pax-option=delete=atime,delete=ctime)
