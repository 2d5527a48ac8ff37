% Prints what a file has; writes all its values.
% usage: octave-cli read_all.m FILE VALUES
pkg load netcdf
path = argv(){1};
out = fopen(argv(){2}, "w");
ncdisp(path);
info = ncinfo(path);
for variable = info.Variables
	values = ncread(path, variable.Name);
	printf("%s %s\n", variable.Name, class(values));
	fwrite(out, values, class(values));
	if (numel(variable.Size) > 1 && all(variable.Size > 1))
		first = ones(1, numel(variable.Size));
		part = ncread(path, variable.Name, first, floor((variable.Size + 1) / 2), 2 * first);
		fwrite(out, part, class(part));
	end
end
fclose(out);
