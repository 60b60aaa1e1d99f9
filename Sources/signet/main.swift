import SignetCommands

Signet.start()
