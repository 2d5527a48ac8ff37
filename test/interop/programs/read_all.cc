/* SPDX-License-Identifier: MIT */
// Prints what a file has; writes all its values.
// usage: read_all FILE VALUES
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include <netcdf>

static void show(const std::string &name, const netCDF::NcAtt &att)
{
	std::cout << name << ' ' << att.getType().getName() << ' '
		  << att.getAttLength();
	if (att.getType() == netCDF::ncChar) {
		std::string text;

		att.getValues(text);
		std::cout << ' ' << text;
	} else if (att.getAttLength() > 0) {
		std::vector<double> values(att.getAttLength());

		att.getValues(values.data());
		for (double value : values)
			std::cout << ' ' << value;
	}
	std::cout << '\n';
}

static void copy(const netCDF::NcVar &var, std::ofstream &out)
{
	std::vector<size_t> start, count;
	std::vector<ptrdiff_t> stride;
	size_t nelems = 1;

	for (const netCDF::NcDim &dim : var.getDims()) {
		std::cout << ' ' << dim.getName() << '=' << dim.getSize();
		start.push_back(0);
		count.push_back((dim.getSize() + 2) / 3);
		stride.push_back(3);
		nelems *= dim.getSize();
	}
	std::cout << '\n';
	if (nelems == 0)
		return;

	std::vector<char> values(nelems * var.getType().getSize());
	auto nbytes = static_cast<std::streamsize>(values.size());

	var.getVar(static_cast<void *>(values.data()));
	out.write(values.data(), nbytes);
	if (!start.empty()) {
		var.getVar(start, count, stride,
			   static_cast<void *>(values.data()));
		out.write(values.data(), nbytes);
	}
}

int main(int, char **argv)
{
	netCDF::NcFile file(argv[1], netCDF::NcFile::read);
	std::ofstream out(argv[2], std::ios::binary);

	for (const auto &att : file.getAtts())
		show(att.first, att.second);
	for (const auto &var : file.getVars()) {
		std::cout << var.first << ' '
			  << var.second.getType().getName();
		copy(var.second, out);
		for (const auto &att : var.second.getAtts())
			show(att.first, att.second);
	}
	return 0;
}
