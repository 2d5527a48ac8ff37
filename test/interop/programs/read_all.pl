# Prints what a file has; writes all its values.
# usage: perl read_all.pl FILE VALUES
use strict;
use warnings;
use Fcntl;
use PDL;
use PDL::NetCDF;

sub show {
	my ($path, $values) = @_;
	my $file = PDL::NetCDF->new($path, { MODE => O_RDONLY });
	open(my $out, '>:raw', $values) or die;
	for my $attribute (sort @{$file->getattributenames()}) {
		print "$attribute: ", $file->getatt($attribute), "\n";
	}
	for my $name (sort @{$file->getvariablenames()}) {
		my @dims = @{$file->getdimensionnames($name)};
		print "$name (@dims)\n";
		for my $attribute (sort @{$file->getattributenames($name)}) {
			print "$name:$attribute: ",
				$file->getatt($attribute, $name), "\n";
		}
		my $all = $file->get($name);
		print $all->info(), "\n";
		print {$out} ${$all->get_dataref()};
	}
	close($out);
}

# The status of die() would be what happens to be in errno.
eval { show(@ARGV); 1 } or do {
	print ((split / at /, $@)[0], "\n");
	exit 1;
};
