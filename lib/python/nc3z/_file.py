"""An open file: its dimensions, variables, attributes and values."""

import ctypes
import os
import warnings

import numpy

from . import _indexing, _library, _source
from ._library import CAtt, CDim, CError, COpenOptions, CSlab, CVar


def _text(name):
    """A name or text of the file; what is no UTF-8 can be turned back."""
    return name.decode("utf-8", "surrogateescape")


def _vector(ctype, numbers):
    """An array of C."""
    return (ctype * len(numbers))(*numbers)


class _Handle:
    """A struct nc3z_file, closed when nobody has it any more.

    So it outlives the calls that are running when a file is closed."""

    def __init__(self, path, options):
        library, self.process = _library.load(), os.getpid()
        self._close = library.nc3z_close
        self.pointer = ctypes.c_void_p()
        err, self.source = CError(), None
        if isinstance(path, _source.Place):
            self.source = path.connect()
            status = self.source.open(options, self.pointer, err)
            _source.keep(self)
        else:
            status = library.nc3z_open(os.fsencode(path), options,
                                       ctypes.byref(self.pointer), err)
        if status:
            self.pointer = None
            self.fail(path, err)

    def __del__(self, getpid=os.getpid):
        # A child has no right to what its parent opened.
        if getattr(self, "pointer", None) and self.process == getpid():
            if self.source:
                _source.close(self._close, self.pointer, self.source)
            else:
                self._close(self.pointer)

    def close(self):
        """Closes it at the end of the process."""
        if self.pointer and self.process == os.getpid():
            self._close(self.pointer)
            self.pointer = None

    def fail(self, path, err):
        """Raises what a call filled, or what Python failed with below it."""
        failure = self.source.take_failure() if self.source else None
        if failure is not None and err.status == _library.EIO:
            raise _source.error_of(path, failure) from failure
        _library.raise_error(path, err)


class Variable:
    """A variable of a file; an index gives an array of what it asks for.

    Numbers, slices and vectors are taken as netCDF4 takes them: vectors are
    independent of each other.  Values are those of the file, not scaled.
    """

    def __init__(self, file, varid, var, dimensions):
        self._file, self._varid = file, varid
        self._natts, self._attributes = var.natts, None
        self.name = _text(var.name)
        self.dtype = numpy.dtype(_library.DTYPES[var.type])
        self.dimensions = tuple(dimensions[var.dimids[i]]
                                for i in range(var.ndims))
        self.shape = tuple(var.shape[i] for i in range(var.ndims))

    def __repr__(self):
        return f"<nc3z.Variable {self.dtype} {self.name}{self.shape}>"

    @property
    def ndim(self):
        """The number of dimensions."""
        return len(self.shape)

    @property
    def attributes(self):
        """The attributes as a dict."""
        if self._attributes is None:
            self._attributes = self._file._read_attributes(self._varid,
                                                           self._natts)
        return self._attributes

    def __getitem__(self, key):
        axes = _indexing.plan(key, self.shape)
        values = numpy.empty([axis.nelems for axis in axes], self.dtype)
        if values.size:
            for runs, place in _indexing.slabs(axes):
                self._read(runs, values[place] if runs else values)
        return _indexing.arrange(values, axes)

    def __array__(self, dtype=None):
        return numpy.asarray(self[...], dtype)

    def _read(self, runs, values):
        """Reads one hyperslab into an array of its shape."""
        slab = CSlab()
        if runs:
            starts, counts, steps = zip(*runs)
            slab.start = _vector(ctypes.c_size_t, starts)
            slab.count = _vector(ctypes.c_size_t, counts)
            slab.stride = _vector(ctypes.c_ssize_t, steps)
        if not values.flags.c_contiguous:
            nbytes = self.dtype.itemsize
            slab.imap = _vector(ctypes.c_ssize_t,
                                [step // nbytes for step in values.strides])
        self._file._get(self._varid, self.name, slab, values)


class File:
    """An archive or a plain classic file, open for reading.

    'dimensions' are lengths by name, 'unlimited' the name of the record
    dimension or None, 'variables' a Variable by name, 'attributes' a dict,
    'version' that of the classic format: 1, 2 or 5.  'cache_nbytes' bounds the
    decoded blocks that are kept, 'nthreads' is how many threads one large
    request may use; None is the default of the library.

    'path' is a path, a URL that the library reads, or what fsspec reads: a URL
    with 'storage_options' (a dict, may be empty) or one of another scheme, and
    an object of its or any other that can seek.

    Any number of threads may read at once.  A child of a process that opened
    a file opens it anew where it reads from it.
    """

    def __init__(self, path, *, cache_nbytes=None, nthreads=None,
                 storage_options=None):
        self._place = _source.place_of(path, storage_options)
        self.path = str(self._place) if self._place else os.fsdecode(path)
        self._options = COpenOptions()
        _library.load().nc3z_open_options_init_sized(
            self._options, ctypes.sizeof(self._options))
        if cache_nbytes is not None:
            self._options.cache_nbytes = cache_nbytes
        if nthreads is not None:
            self._options.nthreads = nthreads
        self._handle = _Handle(self._place or self.path, self._options)
        self._read_header()

    def __repr__(self):
        return f"<nc3z.File {_source.shown(self.path)}>"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        """Closes the file; calls that are running come to their end."""
        self._handle = None

    @property
    def is_open(self):
        """Whether it has not been closed."""
        return self._handle is not None

    def _acquire(self):
        """The handle, of this process."""
        handle = self._handle
        if handle is None:
            raise ValueError(f"{self.path}: the file is closed")
        if handle.process != os.getpid():
            handle = self._handle = _Handle(self._place or self.path,
                                            self._options)
        return handle

    def _call(self, function, *arguments):
        """Calls a function of the library; its status, if it is no error."""
        handle, err = self._acquire(), CError()
        status = getattr(_library.load(), "nc3z_" + function)(
            handle.pointer, *arguments, err)
        if status not in (_library.OK, _library.ETRUNCATED):
            handle.fail(self._place or self.path, err)
        return status

    def _read_header(self):
        """Asks for everything but attributes of variables, and values."""
        handle, library = self._acquire(), _library.load()
        ndims, nvars, natts, unlimited = (ctypes.c_int() for _ in range(4))
        library.nc3z_inq(handle.pointer, ndims, nvars, natts, unlimited)
        self.version = library.nc3z_inq_format(handle.pointer)
        self.dimensions, self.unlimited, names = {}, None, []
        for dimid in range(ndims.value):
            dim = CDim()
            self._call("inq_dim", dimid, dim)
            names.append(_text(dim.name))
            self.dimensions[names[-1]] = dim.length
            if dimid == unlimited.value:
                self.unlimited = names[-1]
        self.variables = {}
        for varid in range(nvars.value):
            var = CVar()
            self._call("inq_var", varid, var)
            variable = Variable(self, varid, var, names)
            self.variables[variable.name] = variable
        self.attributes = self._read_attributes(_library.GLOBAL, natts.value)

    def _read_attributes(self, varid, natts):
        """The attributes of a variable, or of the file."""
        found = {}
        for attnum in range(natts):
            att = CAtt()
            self._call("inq_attnum", varid, attnum, att)
            name = att.name
            # Of several by one name the first counts, with its type.
            if _text(name) not in found:
                found[_text(name)] = self._read_attribute(varid, att)
        return found

    def _read_attribute(self, varid, att):
        """The value of an attribute: text, a number, or an array."""
        if att.type == _library.CHAR:
            buffer = ctypes.create_string_buffer(att.nelems + 1)
            self._call("get_att", varid, att.name, _library.CHAR, buffer)
            value = buffer.raw[:att.nelems]
            # As netCDF4 gives it.
            if att.name == b"_FillValue":
                return value
            return value.decode("utf-8", "replace").replace("\0", "")
        values = numpy.empty(att.nelems, _library.DTYPES[att.type])
        self._call("get_att", varid, att.name, _library.NAT,
                   values.ctypes.data)
        return values[0] if len(values) == 1 else values

    def _get(self, varid, name, slab, values):
        """Reads a hyperslab into an array."""
        status = self._call("get", varid, slab, _library.NAT,
                            values.ctypes.data)
        if status == _library.ETRUNCATED:
            warnings.warn(f"{self.path}: {name}: values beyond the end of the "
                          "original are zeros", _library.TruncationWarning,
                          stacklevel=4)
