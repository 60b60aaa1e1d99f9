"""Published attacks on signed PDFs and messages, built into files with the verdict each must get.

`case` says what a case is, `bases` makes the honest documents, `update` and `forge` are the
attacker's tools; `published`, `differ`, `flip` and `mutate` are the modes of Scripts/attacks; every
other module is a family of attacks with a function `cases(kit)`.
"""
