// Terms shared by all modules are part of this library's interface.
@_exported public import Base
