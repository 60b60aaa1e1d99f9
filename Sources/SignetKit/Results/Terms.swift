// The terms that all storeys share are part of this library's interface.
@_exported public import Base
