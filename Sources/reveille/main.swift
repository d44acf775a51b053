import Glibc
import ReveilleCommands

exit(await Program.run(Array(CommandLine.arguments.dropFirst())).rawValue)
