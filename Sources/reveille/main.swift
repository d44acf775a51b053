import Glibc
import ReveilleCommands

exit(await Program.main().rawValue)
