# Prints what a file has; writes all its values.
# usage: Rscript read_all.R FILE VALUES
library(ncdf4)
arguments <- commandArgs(trailingOnly = TRUE)
out <- file(arguments[2], "wb")
file <- nc_open(arguments[1])
for (dim in file$dim) cat(dim$name, dim$len, dim$unlim, dim$units, "\n")
print(ncatt_get(file, 0))
for (var in file$var) {
  cat(var$name, var$prec, var$varsize, var$units, var$longname, "\n")
  print(ncatt_get(file, var$name))
  values <- ncvar_get(file, var$name, raw_datavals = TRUE)
  if (is.character(values)) writeLines(values, out)
  else writeBin(as.double(values), out)
  if (var$ndims > 0 && all(var$varsize > 0)) {
    start <- pmax(1, var$varsize %/% 2)
    print(ncvar_get(file, var$name, start = start, count = rep(1, var$ndims)))
  }
}
nc_close(file)
close(out)
