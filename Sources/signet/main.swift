import ArgumentParser
import SignetCommands

Signet.main()
